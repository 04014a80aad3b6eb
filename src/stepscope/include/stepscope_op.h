/* Marks operations of C and C++ code in the profile that Stepscope captures: begin, bytes, end.
 *
 *   #include "stepscope_op.h"
 *
 *   stepscope_op op = stepscope_op_begin("my_op");
 *   ...
 *   stepscope_op_bytes(&op, bytes_read + bytes_written);
 *   stepscope_op_end(&op);
 *
 * Nothing has to be linked. While nothing is captured, each call costs the load of a pointer. Begin and end are called by the same
 * thread, and operations nest. The folder of this file is stepscope.get_include() in Python. Operations are recorded on Linux and
 * macOS; elsewhere the calls do nothing.
 */
#ifndef STEPSCOPE_OP_H
#define STEPSCOPE_OP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What Stepscope hands to every library that includes this file. Times are nanoseconds of the monotonic clock. */
typedef struct stepscope_op_recorder_v1 {
  uint64_t (*now)(void);
  void (*add)(const char *name, uint64_t start, uint64_t end, uint64_t bytes);
} stepscope_op_recorder_v1;

/* One operation that has begun; the name is read again at its end. */
typedef struct stepscope_op {
  const char *name;
  uint64_t start; /* 0 while nothing is captured */
  uint64_t bytes;
} stepscope_op;

#if defined(__GNUC__) && !defined(_WIN32)
/* Set while a capture records. Weak, so that any number of files of a library can include this one. */
__attribute__((weak, visibility("default"))) const stepscope_op_recorder_v1 *stepscope_op_recorder_now_v1 = 0;

static inline const stepscope_op_recorder_v1 *stepscope_op_recorder(void) {
  return __atomic_load_n(&stepscope_op_recorder_now_v1, __ATOMIC_ACQUIRE);
}
#else
static inline const stepscope_op_recorder_v1 *stepscope_op_recorder(void) { return 0; }
#endif

/* Begins an operation of the calling thread. */
static inline stepscope_op stepscope_op_begin(const char *name) {
  const stepscope_op_recorder_v1 *recorder = stepscope_op_recorder();
  stepscope_op op;
  op.name = name;
  op.start = recorder ? recorder->now() : 0;
  op.bytes = 0;
  return op;
}

/* Adds to the bytes that the operation reads and writes. */
static inline void stepscope_op_bytes(stepscope_op *op, uint64_t bytes) { op->bytes += bytes; }

/* Ends it; one that began before the capture is not recorded. */
static inline void stepscope_op_end(stepscope_op *op) {
  const stepscope_op_recorder_v1 *recorder = stepscope_op_recorder();
  if (recorder && op->start) recorder->add(op->name, op->start, recorder->now(), op->bytes);
}

#ifdef __cplusplus
} /* extern "C" */

namespace stepscope {

/* An operation that ends with its block: stepscope::Op op("my_op", bytes); */
class Op {
 public:
  explicit Op(const char *name, uint64_t bytes = 0) : op_(stepscope_op_begin(name)) { add_bytes(bytes); }
  ~Op() { stepscope_op_end(&op_); }
  Op(const Op &) = delete;
  Op &operator=(const Op &) = delete;
  void add_bytes(uint64_t bytes) { stepscope_op_bytes(&op_, bytes); }

 private:
  stepscope_op op_;
};

}  // namespace stepscope
#endif

#endif /* STEPSCOPE_OP_H */
