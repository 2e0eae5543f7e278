// A fuzz input as a file, for readers that take a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tilery {

/// A file in memory with these bytes; gone with the object.
class FuzzFile {
 public:
  FuzzFile(const std::uint8_t* data, std::size_t size);
  ~FuzzFile();
  FuzzFile(const FuzzFile&) = delete;
  FuzzFile& operator=(const FuzzFile&) = delete;

  [[nodiscard]] std::string path() const;

 private:
  int file_;
};

}  // namespace tilery
