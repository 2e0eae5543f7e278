// The part of a generated header that is the same for all kernels. It is C99 that is also C++: what
// a launch needs of the driver, its own declarations of the few functions, and errors as values.
#include "tools/build_header.h"

namespace tilery::tools {

const char* const kBuildRuntime = R"header(
/* ---- what all kernels share; the first header that is included defines it ---- */
#ifndef TILERY_AOT_1
#define TILERY_AOT_1

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The driver's library. It is opened when a kernel is loaded, so that the program builds without the
 * CUDA toolkit and starts on machines without a GPU. A program that links libcuda shares it. */
#ifndef TILERY_LIBCUDA
#define TILERY_LIBCUDA "libcuda.so.1"
#endif

/* The same type as CUdeviceptr. A pointer of the CUDA runtime (cudaMalloc) is cast by way of
 * uintptr_t. */
typedef unsigned long long tilery_device_ptr;

/* What the functions return: TILERY_OK, one of these, or a CUresult of the driver, which is positive.
 * tilery_message() tells more. */
enum {
  TILERY_OK = 0,
  TILERY_ERROR_DRIVER = -1,    /* no driver, or one that is too old */
  TILERY_ERROR_GPU = -2,       /* the code is not for this GPU, or needs more than it has */
  TILERY_ERROR_NOT_LOADED = -3,
  TILERY_ERROR_GRID = -4,
  TILERY_ERROR_ARGUMENT = -5   /* a value that the code was not compiled for */
};

/* One sentence about the last call that failed on this thread in this source file. */
static inline char* tilery_aot1_message(void) {
  static __thread char message[1024];
  return message;
}

static inline const char* tilery_message(void) { return tilery_aot1_message(); }

__attribute__((format(printf, 2, 3)))
static inline int tilery_aot1_fail(int code, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(tilery_aot1_message(), 1024, format, arguments);
  va_end(arguments);
  return code;
}

/* CUlaunchAttribute and CUlaunchConfig of CUDA 12 and later. */
typedef struct tilery_aot1_attribute {
  unsigned id;
  unsigned padding;
  unsigned value[16];
} tilery_aot1_attribute;

typedef struct tilery_aot1_config {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  void* stream;
  tilery_aot1_attribute* attributes;
  unsigned attribute_count;
} tilery_aot1_config;

typedef struct tilery_aot1_driver {
  void* library;
  int (*init)(unsigned flags);
  int (*error_name)(int code, const char** name);
  int (*error_string)(int code, const char** text);
  int (*device_get)(int* device, int ordinal);
  int (*device_attribute)(int* value, int attribute, int device);
  int (*primary_retain)(void** context, int device);
  int (*primary_release)(int device);
  int (*context_current)(void** context);
  int (*context_device)(int* device);
  int (*context_push)(void* context);
  int (*context_pop)(void** context);
  int (*module_load)(void** module, const void* image, unsigned count, int* options, void** values);
  int (*module_unload)(void* module);
  int (*module_function)(void** function, void* module, const char* name);
  int (*function_set)(void* function, int attribute, int value);
  int (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream,
                void** parameters, void** extra);
  /* NULL in drivers before CUDA 12. */
  int (*launch_ex)(const tilery_aot1_config* config, void* function, void** parameters,
                   void** extra);
} tilery_aot1_driver;

/* A kernel in a context; all zeros but the mutex until it is loaded. */
typedef struct tilery_aot1_kernel {
  pthread_mutex_t mutex;
  const tilery_aot1_driver* driver;
  void* context;
  void* module;
  void* function;
  int device;
  int owns_context;
} tilery_aot1_kernel;

#define TILERY_AOT1_KERNEL_INIT {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, NULL, NULL, 0, 0}

/* What was compiled. */
typedef struct tilery_aot1_code {
  const char* kernel;
  const char* entry;
  const char* target;
  int capability;      /* 90 of sm_90a */
  int only_this_chip;  /* sm_90a: no later chip runs it */
  int is_ptx;          /* else machine code, which runs on chips of the same generation */
  const void* image;
  unsigned shared_bytes;
  unsigned threads;
  unsigned cluster;  /* thread blocks of a cluster; 1: launched without */
} tilery_aot1_code;

/* A function of the library, as bytes of a function pointer (ISO C has no cast). */
static inline int tilery_aot1_find(void* library, const char* name, void* function) {
  void* const symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

static inline int tilery_aot1_resolve(tilery_aot1_driver* d, void* library) {
  (void)tilery_aot1_find(library, "cuLaunchKernelEx", &d->launch_ex);
  return tilery_aot1_find(library, "cuInit", &d->init) &&
         tilery_aot1_find(library, "cuGetErrorName", &d->error_name) &&
         tilery_aot1_find(library, "cuGetErrorString", &d->error_string) &&
         tilery_aot1_find(library, "cuDeviceGet", &d->device_get) &&
         tilery_aot1_find(library, "cuDeviceGetAttribute", &d->device_attribute) &&
         tilery_aot1_find(library, "cuDevicePrimaryCtxRetain", &d->primary_retain) &&
         tilery_aot1_find(library, "cuDevicePrimaryCtxRelease_v2", &d->primary_release) &&
         tilery_aot1_find(library, "cuCtxGetCurrent", &d->context_current) &&
         tilery_aot1_find(library, "cuCtxGetDevice", &d->context_device) &&
         tilery_aot1_find(library, "cuCtxPushCurrent_v2", &d->context_push) &&
         tilery_aot1_find(library, "cuCtxPopCurrent_v2", &d->context_pop) &&
         tilery_aot1_find(library, "cuModuleLoadDataEx", &d->module_load) &&
         tilery_aot1_find(library, "cuModuleUnload", &d->module_unload) &&
         tilery_aot1_find(library, "cuModuleGetFunction", &d->module_function) &&
         tilery_aot1_find(library, "cuFuncSetAttribute", &d->function_set) &&
         tilery_aot1_find(library, "cuLaunchKernel", &d->launch);
}

/* The error of a driver call. */
static inline int tilery_aot1_failed(const tilery_aot1_driver* d, int code, const char* kernel,
                                     const char* call, const char* log) {
  const char* name = NULL;
  const char* text = NULL;
  (void)d->error_name(code, &name);
  (void)d->error_string(code, &text);
  return tilery_aot1_fail(code, "kernel `%s`: %s failed with error %d, %s (%s)%s%s", kernel, call,
                          code, name != NULL ? name : "of an unknown name",
                          text != NULL ? text : "no text", log[0] != '\0' ? ": " : "", log);
}

/* Opens the driver once; it is never closed, because it does not survive that. */
static inline int tilery_aot1_open(const char* kernel, const tilery_aot1_driver** driver) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static tilery_aot1_driver opened;
  int code = TILERY_OK;
  pthread_mutex_lock(&mutex);
  if (opened.library == NULL) {
    tilery_aot1_driver d;
    void* const library = dlopen(TILERY_LIBCUDA, RTLD_NOW | RTLD_LOCAL);
    memset(&d, 0, sizeof d);
    if (library == NULL) {
      code = tilery_aot1_fail(TILERY_ERROR_DRIVER, "kernel `%s`: no NVIDIA driver: %s", kernel,
                              dlerror());
    } else if (!tilery_aot1_resolve(&d, library)) {
      code = tilery_aot1_fail(TILERY_ERROR_DRIVER,
                              "kernel `%s`: the NVIDIA driver `%s` is too old: a function is missing",
                              kernel, TILERY_LIBCUDA);
    } else {
      code = d.init(0);
      if (code != 0) {
        code = tilery_aot1_failed(&d, code, kernel, "cuInit", "");
      } else {
        d.library = library;
        opened = d;
      }
    }
  }
  pthread_mutex_unlock(&mutex);
  *driver = &opened;
  return code;
}

/* TILERY_OK if the GPU runs the code. */
static inline int tilery_aot1_suits(const tilery_aot1_driver* d, const tilery_aot1_code* c,
                                    int device) {
  int major = 0;
  int minor = 0;
  int shared = 0;
  int capability;
  int is_good;
  int code = d->device_attribute(&major, 75, device);
  code = code != 0 ? code : d->device_attribute(&minor, 76, device);
  code = code != 0 ? code : d->device_attribute(&shared, 97, device);
  if (code != 0) {
    return tilery_aot1_failed(d, code, c->kernel, "cuDeviceGetAttribute", "");
  }
  capability = 10 * major + minor;
  is_good = c->only_this_chip ? capability == c->capability
            : c->is_ptx       ? capability >= c->capability
                              : capability >= c->capability && major == c->capability / 10;
  if (!is_good) {
    return tilery_aot1_fail(TILERY_ERROR_GPU,
                            "kernel `%s` was compiled for %s, and this GPU is sm_%d: build it for "
                            "that target", c->kernel, c->target, capability);
  }
  if (c->shared_bytes > (unsigned)shared) {
    return tilery_aot1_fail(TILERY_ERROR_GPU,
                            "kernel `%s` needs %u bytes of shared memory, and this GPU has %d",
                            c->kernel, c->shared_bytes, shared);
  }
  return TILERY_OK;
}

/* Loads the code into the current context. */
static inline int tilery_aot1_load_module(const tilery_aot1_driver* d, const tilery_aot1_code* c,
                                          void** module, void** function) {
  char log[512];
  int options[2] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER and its size */
  void* values[2];
  const char* call = "cuModuleLoadDataEx";
  int code;
  memset(log, 0, sizeof log);
  values[0] = log;
  values[1] = (void*)(uintptr_t)(sizeof log - 1);
  code = d->module_load(module, c->image, 2, options, values);
  if (code != 0) {
    *module = NULL;
    return tilery_aot1_failed(d, code, c->kernel, call, log);
  }
  call = "cuModuleGetFunction";
  code = d->module_function(function, *module, c->entry);
  if (code == 0 && c->shared_bytes > 48 * 1024) {
    call = "cuFuncSetAttribute";
    code = d->function_set(*function, 8, (int)c->shared_bytes);
  }
  if (code == 0 && c->cluster > 8) {
    call = "cuFuncSetAttribute";
    code = d->function_set(*function, 14, 1);
  }
  if (code != 0) {
    (void)d->module_unload(*module);
    *module = NULL;
    *function = NULL;
    return tilery_aot1_failed(d, code, c->kernel, call, "");
  }
  return TILERY_OK;
}

/* Loads into the context that is current on this thread, else into the primary context of the first
 * GPU. The kernel's mutex is held. */
static inline int tilery_aot1_load_locked(tilery_aot1_kernel* k, const tilery_aot1_code* c) {
  const tilery_aot1_driver* d = NULL;
  void* context = NULL;
  void* popped = NULL;
  void* module = NULL;
  void* function = NULL;
  int device = 0;
  int owns_context = 0;
  int code = tilery_aot1_open(c->kernel, &d);
  if (code != TILERY_OK) {
    return code;
  }
  code = d->context_current(&context);
  if (code != 0) {
    return tilery_aot1_failed(d, code, c->kernel, "cuCtxGetCurrent", "");
  }
  if (context != NULL) {
    code = d->context_device(&device);
    if (code != 0) {
      return tilery_aot1_failed(d, code, c->kernel, "cuCtxGetDevice", "");
    }
  } else {
    code = d->device_get(&device, 0);
    if (code != 0) {
      return tilery_aot1_failed(d, code, c->kernel, "cuDeviceGet", "");
    }
    code = d->primary_retain(&context, device);
    if (code != 0) {
      return tilery_aot1_failed(d, code, c->kernel, "cuDevicePrimaryCtxRetain", "");
    }
    owns_context = 1;
    code = d->context_push(context);
    if (code != 0) {
      (void)d->primary_release(device);
      return tilery_aot1_failed(d, code, c->kernel, "cuCtxPushCurrent", "");
    }
  }
  code = tilery_aot1_suits(d, c, device);
  code = code != TILERY_OK ? code : tilery_aot1_load_module(d, c, &module, &function);
  if (owns_context) {
    (void)d->context_pop(&popped);
    if (code != TILERY_OK) {
      (void)d->primary_release(device);
    }
  }
  if (code == TILERY_OK) {
    k->driver = d;
    k->context = context;
    k->module = module;
    k->device = device;
    k->owns_context = owns_context;
    k->function = function;
  }
  return code;
}

static inline int tilery_aot1_load(tilery_aot1_kernel* k, const tilery_aot1_code* c) {
  int code = TILERY_OK;
  pthread_mutex_lock(&k->mutex);
  if (k->function == NULL) {
    code = tilery_aot1_load_locked(k, c);
  }
  pthread_mutex_unlock(&k->mutex);
  return code;
}

/* Makes the kernel's context current; *pushed says whether it has to be popped. */
static inline int tilery_aot1_enter(const tilery_aot1_kernel* k, int* pushed) {
  void* current = NULL;
  int code = k->driver->context_current(&current);
  *pushed = code == 0 && current != k->context;
  if (*pushed) {
    code = k->driver->context_push(k->context);
    *pushed = code == 0;
  }
  return code;
}

static inline int tilery_aot1_unload(tilery_aot1_kernel* k, const tilery_aot1_code* c) {
  int code = TILERY_OK;
  pthread_mutex_lock(&k->mutex);
  if (k->function != NULL) {
    const tilery_aot1_driver* const d = k->driver;
    void* popped = NULL;
    int pushed = 0;
    code = tilery_aot1_enter(k, &pushed);
    code = code != 0 ? code : d->module_unload(k->module);
    if (pushed) {
      (void)d->context_pop(&popped);
    }
    if (k->owns_context) {
      (void)d->primary_release(k->device);
    }
    k->driver = NULL;
    k->context = NULL;
    k->module = NULL;
    k->function = NULL;
    k->owns_context = 0;
    if (code != 0) {
      code = tilery_aot1_failed(d, code, c->kernel, "cuModuleUnload", "");
    }
  }
  pthread_mutex_unlock(&k->mutex);
  return code;
}

/* The grid in thread blocks; `bytes` of packed arguments. */
static inline int tilery_aot1_launch(const tilery_aot1_kernel* k, const tilery_aot1_code* c,
                                     const unsigned grid[3], void* stream, void* arguments,
                                     size_t bytes) {
  void* extra[5];
  void* popped = NULL;
  void** packed = NULL;
  int pushed = 0;
  int code = tilery_aot1_enter(k, &pushed);
  if (code != 0) {
    return tilery_aot1_failed(k->driver, code, c->kernel, "cuCtxPushCurrent", "");
  }
  if (bytes != 0) {
    extra[0] = (void*)(uintptr_t)1; /* CU_LAUNCH_PARAM_BUFFER_POINTER */
    extra[1] = arguments;
    extra[2] = (void*)(uintptr_t)2; /* CU_LAUNCH_PARAM_BUFFER_SIZE */
    extra[3] = &bytes;
    extra[4] = NULL; /* CU_LAUNCH_PARAM_END */
    packed = extra;
  }
  if (c->cluster > 1) {
    tilery_aot1_attribute cluster;
    tilery_aot1_config config;
    memset(&cluster, 0, sizeof cluster);
    memset(&config, 0, sizeof config);
    cluster.id = 4; /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
    cluster.value[0] = c->cluster;
    cluster.value[1] = 1;
    cluster.value[2] = 1;
    memcpy(config.grid, grid, sizeof config.grid);
    config.block[0] = c->threads;
    config.block[1] = 1;
    config.block[2] = 1;
    config.shared_bytes = c->shared_bytes;
    config.stream = stream;
    config.attributes = &cluster;
    config.attribute_count = 1;
    code = k->driver->launch_ex == NULL
               ? tilery_aot1_fail(TILERY_ERROR_DRIVER,
                                  "kernel `%s` needs a driver of CUDA 12 or later", c->kernel)
               : k->driver->launch_ex(&config, k->function, NULL, packed);
  } else {
    code = k->driver->launch(k->function, grid[0], grid[1], grid[2], c->threads, 1, 1,
                             c->shared_bytes, stream, NULL, packed);
  }
  if (pushed) {
    (void)k->driver->context_pop(&popped);
  }
  if (code > 0) {
    code = tilery_aot1_failed(k->driver, code, c->kernel, "cuLaunchKernel", "");
  }
  return code;
}

/* TILERY_OK if a GPU takes this grid of programs. */
static inline int tilery_aot1_check_grid(const tilery_aot1_code* c, unsigned x, unsigned y,
                                         unsigned z) {
  if (x > 2147483647u / c->cluster || y > 65535u || z > 65535u) {
    return tilery_aot1_fail(TILERY_ERROR_GRID,
                            "kernel `%s`: a grid of %u x %u x %u programs; a GPU takes %u x 65535 x "
                            "65535", c->kernel, x, y, z, 2147483647u / c->cluster);
  }
  return TILERY_OK;
}

#endif /* TILERY_AOT_1 */
)header";

}  // namespace tilery::tools
