// {fmt}'s implementation, compiled once. Debian ships it as headers and a shared library only;
// header-only use costs about three seconds in each file, and a shared library would follow
// libtilery.so around. The templates below are those that <fmt/format.h> declares and leaves to the
// library.
#ifndef FMT_HEADER_ONLY

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE

namespace detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float x) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double x) noexcept;
template locale_ref::locale_ref(const std::locale& loc);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref loc);
template char decimal_point_impl(locale_ref loc);
template void buffer<char>::append(const char* begin, const char* end);
template void vformat_to(buffer<char>& out, string_view format,
                         basic_format_args<FMT_BUFFER_CONTEXT(char)> args, locale_ref loc);

}  // namespace detail

FMT_END_NAMESPACE

#endif
