// libtilery.so consists of the folders' archives; CMake wants a source file of its own.
