/* What `tilery build` wrote, launched: vector_add and a row softmax against the same in C. For
 * gpu_build_check.sh, which makes vadd.h and soft.h. */
#include "soft.h"
#include "vadd.h"

#include <math.h>
#include <stdlib.h>

/* The driver's functions for memory; the headers bring what a launch needs. */
static int (*init)(unsigned flags);
static int (*retain)(void** context, int device);
static int (*push)(void* context);
static int (*allocate)(tilery_device_ptr* pointer, size_t bytes);
static int (*to_gpu)(tilery_device_ptr to, const void* from, size_t bytes, void* stream);
static int (*from_gpu)(void* to, tilery_device_ptr from, size_t bytes, void* stream);
static int (*synchronise)(void* stream);

static void need(int status, const char* what) {
  if (status != 0) {
    printf("FAIL %s: %d %s\n", what, status, tilery_message());
    exit(1);
  }
}

static void find(const char* name, void* function) {
  void* const symbol = dlsym(dlopen(TILERY_LIBCUDA, RTLD_NOW), name);
  need(symbol == NULL, name);
  memcpy(function, &symbol, sizeof symbol);
}

static void open_driver(void) {
  void* context = NULL;
  find("cuInit", &init);
  find("cuDevicePrimaryCtxRetain", &retain);
  find("cuCtxPushCurrent_v2", &push);
  find("cuMemAlloc_v2", &allocate);
  find("cuMemcpyHtoDAsync_v2", &to_gpu);
  find("cuMemcpyDtoHAsync_v2", &from_gpu);
  find("cuStreamSynchronize", &synchronise);
  need(init(0), "cuInit");
  need(retain(&context, 0), "cuDevicePrimaryCtxRetain");
  need(push(context), "cuCtxPushCurrent");
}

static tilery_device_ptr on_gpu(const float* values, size_t count) {
  tilery_device_ptr pointer = 0;
  need(allocate(&pointer, count * sizeof *values), "cuMemAlloc");
  need(to_gpu(pointer, values, count * sizeof *values, NULL), "cuMemcpyHtoDAsync");
  return pointer;
}

static void read_back(float* values, tilery_device_ptr pointer, size_t count) {
  need(from_gpu(values, pointer, count * sizeof *values, NULL), "cuMemcpyDtoHAsync");
  need(synchronise(NULL), "cuStreamSynchronize");
}

static int compare(const char* what, const float* got, const double* want, size_t count,
                   double tolerance) {
  size_t i;
  for (i = 0; i < count; ++i) {
    if (!(fabs((double)got[i] - want[i]) <= tolerance * fabs(want[i]))) {
      printf("FAIL %s: element %lu is %.9g, expected %.9g\n", what, (unsigned long)i,
             (double)got[i], want[i]);
      return 1;
    }
  }
  printf("pass %s: %lu elements\n", what, (unsigned long)count);
  return 0;
}

enum { kCount = 100003, kRows = 37, kColumns = 1000 };

static float x[kCount], y[kCount], out[kCount];
static double want[kCount];

static int check_add(void) {
  static vadd_kernel kernel = vadd_KERNEL_INIT;
  tilery_device_ptr gpu_x, gpu_y, gpu_out;
  int i;
  for (i = 0; i < kCount; ++i) {
    x[i] = (float)(i % 1000) * 0.25f;
    y[i] = (float)(i % 77) - 30.0f;
    want[i] = (double)(x[i] + y[i]); /* exact: small multiples of 1/4 */
  }
  gpu_x = on_gpu(x, kCount);
  gpu_y = on_gpu(y, kCount);
  gpu_out = on_gpu(out, kCount);
  need(vadd_load(&kernel), "vadd_load");
  need(vadd_launch(&kernel, (kCount + vadd_CONSTEXPR_BLOCK - 1) / vadd_CONSTEXPR_BLOCK, 1, 1, NULL,
                   gpu_x, gpu_y, gpu_out, kCount),
       "vadd_launch");
  read_back(out, gpu_out, kCount);
  if (vadd_launch(&kernel, 1, 1, 1, NULL, gpu_x + 4, gpu_y, gpu_out, 1) != TILERY_ERROR_ARGUMENT) {
    printf("FAIL vector_add: an address that is not aligned was taken\n");
    return 1;
  }
  need(vadd_unload(&kernel), "vadd_unload");
  return compare("vector_add", out, want, kCount, 0);
}

static int check_softmax(void) {
  static soft_kernel kernel = soft_KERNEL_INIT;
  tilery_device_ptr gpu_x, gpu_out;
  int row, i;
  for (i = 0; i < kRows * kColumns; ++i) {
    x[i] = (float)((i * 7919) % 2003) * 0.01f - 10.0f;
  }
  for (row = 0; row < kRows; ++row) {
    double sum = 0;
    for (i = 0; i < kColumns; ++i) {
      sum += exp((double)x[row * kColumns + i]);
    }
    for (i = 0; i < kColumns; ++i) {
      want[row * kColumns + i] = exp((double)x[row * kColumns + i]) / sum;
    }
  }
  gpu_x = on_gpu(x, kRows * kColumns);
  gpu_out = on_gpu(out, kRows * kColumns);
  need(soft_load(&kernel), "soft_load");
  need(soft_launch(&kernel, kRows, 1, 1, NULL, gpu_x, gpu_out, kColumns, kColumns), "soft_launch");
  read_back(out, gpu_out, kRows * kColumns);
  need(soft_unload(&kernel), "soft_unload");
  return compare("softmax", out, want, kRows * kColumns, 1e-5);
}

int main(void) {
  open_driver();
  return check_add() + check_softmax() == 0 ? 0 : 1;
}
