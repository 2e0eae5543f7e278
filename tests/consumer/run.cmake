# Installs the build into a fresh folder, then configures, builds and runs the consumer against it.
#   cmake -DTILERY_BUILD_DIR=… -DCONSUMER_DIR=… -DGENERATOR=… -DCOMPILER=… -P run.cmake
set(work ${TILERY_BUILD_DIR}/consumer)
file(REMOVE_RECURSE ${work})

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}\nfailed with ${code}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

step(${CMAKE_COMMAND} --install ${TILERY_BUILD_DIR} --prefix ${work}/prefix)
set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()
step(${CMAKE_COMMAND} -S ${CONSUMER_DIR} -B ${work}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=${flags}"
  -DCMAKE_PREFIX_PATH=${work}/prefix)
step(${CMAKE_COMMAND} --build ${work}/build)
step(${work}/build/consumer)
if(NOT output MATCHES "0 2.5 5 7.5 10" OR NOT output MATCHES "out-of-bounds")
  message(FATAL_ERROR "the consumer printed:\n${output}")
endif()

foreach(file LICENSE NOTICE docs/cases.md kernels/vector_add.tl)
  if(NOT EXISTS ${work}/prefix/share/doc/tilery/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()

# Every text that NOTICE names is there, and no other.
file(READ ${work}/prefix/share/doc/tilery/NOTICE notice)
string(REGEX MATCHALL "[a-z0-9_]+\\.txt" named "${notice}")
file(GLOB there RELATIVE ${work}/prefix/share/doc/tilery/licenses ${work}/prefix/share/doc/tilery/licenses/*)
list(SORT named)
list(SORT there)
if(NOT named STREQUAL there OR named STREQUAL "")
  message(FATAL_ERROR "NOTICE names ${named}, but installed are ${there}")
endif()

# The program for a GPU says so where there is none (77).
execute_process(COMMAND ${work}/build/gpu ${CONSUMER_DIR}/../../kernels/vector_add.tl
  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT ((code EQUAL 0 AND output MATCHES "sum\\[0\\] = 1,") OR (code EQUAL 77 AND output MATCHES "GPU")))
  message(FATAL_ERROR "the consumer on a GPU ended with ${code}:\n${output}")
endif()

# The installed command finds the installed library.
step(${work}/prefix/bin/tilery doctor)
if(NOT output MATCHES "x86-64")
  message(FATAL_ERROR "tilery doctor printed:\n${output}")
endif()
