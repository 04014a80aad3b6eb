// WorkQueue: Python objects on their way to the thread that works on them, bounded by the bytes they hold.
//
// Each call is one step that neither a signal handler nor another thread can interrupt: the interpreter's lock is held throughout, and
// nothing here runs Python code. So a handler may log while the code it interrupts does.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <deque>
#include <utility>

namespace nb = nanobind;

namespace stepscope {
namespace {

class WorkQueue {
 public:
  explicit WorkQueue(int64_t limit) : limit_(limit) {}

  // One that holds more than the limit is taken when nothing else is held.
  bool put(nb::object work, int64_t bytes) {
    if (held_ > 0 && held_ + bytes > limit_) return false;
    works_.push_back(std::move(work));
    held_ += bytes;
    ++unfinished_;
    return true;
  }
  void put_marker(nb::object marker) { works_.push_back(std::move(marker)); }

  nb::object take() {
    if (works_.empty()) return nb::none();
    nb::object oldest = std::move(works_.front());
    works_.pop_front();
    return oldest;
  }

  void resize(int64_t from, int64_t to) { held_ += to - from; }
  void finish(int64_t bytes) {
    held_ -= bytes;
    --unfinished_;
  }

  size_t size() const { return works_.size(); }
  int64_t held() const { return held_; }
  int64_t unfinished() const { return unfinished_; }

 private:
  int64_t limit_;
  std::deque<nb::object> works_;
  int64_t held_ = 0;
  int64_t unfinished_ = 0;
};

}  // namespace

void bind_work_queue(nb::module_& m) {
  nb::class_<WorkQueue>(m, "WorkQueue")
      .def(nb::init<int64_t>(), nb::arg("limit_bytes"))
      .def("put", &WorkQueue::put, nb::arg("work"), nb::arg("held_bytes"))
      .def("put_marker", &WorkQueue::put_marker, nb::arg("marker"))
      .def("take", &WorkQueue::take)
      .def("resize", &WorkQueue::resize, nb::arg("from_bytes"), nb::arg("to_bytes"))
      .def("finish", &WorkQueue::finish, nb::arg("held_bytes"))
      .def("__len__", &WorkQueue::size)
      .def_prop_ro("held", &WorkQueue::held)
      .def_prop_ro("unfinished", &WorkQueue::unfinished);
}

}  // namespace stepscope
