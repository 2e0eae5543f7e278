#include "runtime/build_id.h"

#include "tilery/version.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <string_view>

namespace tilery {

namespace {

struct Search {
  std::uintptr_t address = 0;  ///< of something in the object that we are part of
  std::string id;
};

/// The build id among the notes of one segment, as digits.
std::string build_id_in(std::string_view notes) {
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() > sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t value_at = sizeof head + padded(head.n_namesz);
    const std::size_t end = value_at + padded(head.n_descsz);
    if (end > notes.size()) {
      return {};
    }
    if (head.n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof head, 4) == std::string_view("GNU", 4)) {
      std::string id;
      for (const char byte : notes.substr(value_at, head.n_descsz)) {
        id += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      }
      return id;
    }
    notes.remove_prefix(end);
  }
  return {};
}

int visit_object(struct dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool is_ours = false;
  std::string id;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    is_ours = is_ours || (segment.p_type == PT_LOAD && search.address >= begin &&
                          search.address < begin + segment.p_memsz);
    if (segment.p_type == PT_NOTE && id.empty()) {
      id = build_id_in({reinterpret_cast<const char*>(begin), segment.p_memsz});
    }
  }
  if (is_ours) {
    search.id = std::move(id);
  }
  return is_ours ? 1 : 0;
}

}  // namespace

const std::string& build_fingerprint() {
  static const std::string fingerprint = [] {
    static const char here = 0;
    Search search;
    search.address = reinterpret_cast<std::uintptr_t>(&here);
    (void)dl_iterate_phdr(visit_object, &search);
    return fmt::format("{} {}", version(), search.id);
  }();
  return fingerprint;
}

}  // namespace tilery
