// How the public interface is marked.
//
// Everything that users may call lies in `namespace tilery` and carries TILERY_API; libtilery.so
// exports nothing else. The inline namespace is the version of the binary interface: it shows in
// symbol names only.
#pragma once

#define TILERY_API __attribute__((visibility("default")))
