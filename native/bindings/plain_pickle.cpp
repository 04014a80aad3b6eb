// Reads a pickle that holds nothing but plain data: numbers, text, bytes, lists, tuples, dicts and sets of them.
//
// A pickle is a program. This reader knows only the instructions that make plain data; the ones that look up, call or build anything
// else end it with an error that names them, so nothing in a file is ever executed. Memory is bounded by the file: a length is
// compared with the bytes that are left before anything is made, and the memo is a map, not an array with holes.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "wire/little_endian.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stepscope {
namespace {

class NotPlain : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class PlainPickle {
 public:
  explicit PlainPickle(std::string_view bytes) : bytes_(bytes) {}

  nb::object read() {
    while (!step()) {
    }
    if (stack_.size() != 1) throw NotPlain("it is corrupt");
    return stack_.back();
  }

 private:
  static constexpr size_t kLongestLine = 1 << 16;

  // One instruction; true at the end of the program.
  bool step() {
    const auto code = static_cast<uint8_t>(take(1)[0]);
    switch (code) {
      case 0x80:  // PROTO
        if (take(1)[0] > 5) throw NotPlain("it was written with a newer pickle protocol than Stepscope supports");
        return false;
      case 0x95:  // FRAME
        take(8);
        return false;
      case '.':
        return true;
      case 'N':
        return push(nb::none());
      case 0x88:
        return push(nb::bool_(true));
      case 0x89:
        return push(nb::bool_(false));
      case 'J':
        return push(nb::int_(number<int32_t>()));
      case 'K':
        return push(nb::int_(number<uint8_t>()));
      case 'M':
        return push(nb::int_(number<uint16_t>()));
      case 0x8a:
        return push(long_integer(number<uint8_t>()));
      case 0x8b:
        return push(long_integer(number<uint32_t>()));
      case 'I':
        return push(written_integer());
      case 'G':
        return push(big_endian_double());
      case 0x8c:
        return push(text(number<uint8_t>()));
      case 'X':
        return push(text(number<uint32_t>()));
      case 0x8d:
        return push(text(number<uint64_t>()));
      case 'U':
        return push(bytes(number<uint8_t>()));
      case 'C':
        return push(bytes(number<uint8_t>()));
      case 'T':
      case 'B':
        return push(bytes(number<uint32_t>()));
      case 0x8e:
        return push(bytes(number<uint64_t>()));
      case ']':
        return push(nb::list());
      case '}':
        return push(nb::dict());
      case 0x8f:
        return push(nb::steal(PySet_New(nullptr)));
      case ')':
        return push(nb::tuple());
      default:
        return container_step(code);
    }
  }

  bool container_step(uint8_t code) {
    switch (code) {
      case '(':
        marks_.push_back(stack_.size());
        return false;
      case '0':
        pop();
        return false;
      case '1':
        stack_.resize(mark());
        return false;
      case '2':
        return push(nb::object(top()));
      case 'l':
        return push(collected<nb::list>());
      case 't':
        return push(tuple_of(mark()));
      case 0x85:
        return push(tuple_of(below(1)));
      case 0x86:
        return push(tuple_of(below(2)));
      case 0x87:
        return push(tuple_of(below(3)));
      case 'd': {
        const size_t from = mark();
        nb::dict made;
        fill_dict(made, from);
        return push(std::move(made));
      }
      case 'a':
        return append(below(1));
      case 'e':
        return append(mark());
      case 's':
        return set_items(below(2));
      case 'u':
        return set_items(mark());
      case 0x90:
        return add_items();
      case 0x91:
        return push(nb::steal(PyFrozenSet_New(collected<nb::tuple>().ptr())));
      default:
        return memo_step(code);
    }
  }

  bool memo_step(uint8_t code) {
    switch (code) {
      case 'q':
        return remember(number<uint8_t>());
      case 'r':
        return remember(number<uint32_t>());
      case 0x94:
        return remember(memo_.size());
      case 'h':
        return push(recalled(number<uint8_t>()));
      case 'j':
        return push(recalled(number<uint32_t>()));
      case 'c':
      case 0x93:
      case 'R':
      case 'b':
      case 'i':
      case 'o':
      case 0x81:
      case 0x92:
      case 0x82:
      case 0x83:
      case 0x84:
        throw NotPlain("it contains code or objects, which memory snapshots never do");
      default:
        throw NotPlain("it has a pickle instruction that memory snapshots never have (" + std::to_string(code) + ")");
    }
  }

  std::string_view take(uint64_t size) {
    if (size > bytes_.size() - at_) throw NotPlain("it is truncated");
    const std::string_view part = bytes_.substr(at_, static_cast<size_t>(size));
    at_ += static_cast<size_t>(size);
    return part;
  }

  template <class T>
  T number() {
    return wire::little_endian<T>(take(sizeof(T)).data());
  }

  nb::object long_integer(uint32_t size) {
    if (size > 1024) throw NotPlain("it contains a number that is too long");
    const std::string_view digits = take(size);
    if (size > 8) {
      const nb::object from_bytes = nb::borrow(reinterpret_cast<PyObject*>(&PyLong_Type)).attr("from_bytes");
      return from_bytes(nb::bytes(digits.data(), digits.size()), "little", "signed"_a = true);
    }
    uint64_t value = size > 0 && (digits.back() & 0x80) != 0 ? ~uint64_t{0} : 0;  // the sign fills what is not there
    for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(digits[i]);
    return nb::int_(static_cast<int64_t>(value));
  }

  nb::object written_integer() {
    const size_t end = bytes_.substr(at_, kLongestLine).find('\n');
    if (end == std::string_view::npos || end > 40) throw NotPlain("it is corrupt");
    const std::string digits(take(end));
    take(1);
    if (digits == "00" || digits == "01") return nb::bool_(digits == "01");
    return nb::steal(checked(PyLong_FromString(digits.c_str(), nullptr, 10)));
  }

  nb::object big_endian_double() {
    const std::string_view bits = take(8);
    uint64_t value = 0;
    for (const char byte : bits) value = value << 8 | static_cast<uint8_t>(byte);
    double found;
    std::memcpy(&found, &value, 8);
    return nb::float_(found);
  }

  nb::object text(uint64_t size) {
    const std::string_view part = take(size);
    return nb::steal(checked(PyUnicode_DecodeUTF8(part.data(), static_cast<Py_ssize_t>(part.size()), "replace")));
  }

  nb::object bytes(uint64_t size) {
    const std::string_view part = take(size);
    return nb::bytes(part.data(), part.size());
  }

  static PyObject* checked(PyObject* made) {
    if (made == nullptr) {
      PyErr_Clear();
      throw NotPlain("it contains an invalid value");
    }
    return made;
  }

  bool push(nb::object value) {
    stack_.push_back(std::move(value));
    return false;
  }

  // The place of the n-th value from the top, never below the newest mark.
  size_t below(size_t count) const {
    const size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() < floor + count) throw NotPlain("it is corrupt");
    return stack_.size() - count;
  }

  nb::object& top() { return stack_[below(1)]; }

  nb::object pop() {
    nb::object value = std::move(top());
    stack_.pop_back();
    return value;
  }

  size_t mark() {
    if (marks_.empty()) throw NotPlain("it is corrupt");
    const size_t place = marks_.back();
    marks_.pop_back();
    return place;
  }

  nb::object tuple_of(size_t from) {
    nb::object made = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(stack_.size() - from)));
    for (size_t i = from; i < stack_.size(); ++i)
      PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(i - from), stack_[i].release().ptr());
    stack_.resize(from);
    return made;
  }

  template <class Made>
  Made collected() {
    const nb::object items = tuple_of(mark());
    if constexpr (std::is_same_v<Made, nb::list>)
      return nb::steal<nb::list>(PySequence_List(items.ptr()));
    else
      return nb::borrow<nb::tuple>(items);
  }

  bool append(size_t from) {
    nb::object& target = under(from, &PyList_Type);
    for (size_t i = from; i < stack_.size(); ++i) PyList_Append(target.ptr(), stack_[i].ptr());
    stack_.resize(from);
    return false;
  }

  bool set_items(size_t from) {
    nb::object target = under(from, &PyDict_Type);
    fill_dict(target, from);
    return false;
  }

  bool add_items() {
    const size_t from = mark();
    nb::object& target = under(from, &PySet_Type);
    for (size_t i = from; i < stack_.size(); ++i) hashable(PySet_Add(target.ptr(), stack_[i].ptr()));
    stack_.resize(from);
    return false;
  }

  void fill_dict(nb::handle target, size_t from) {
    if ((stack_.size() - from) % 2 != 0) throw NotPlain("it is corrupt");
    for (size_t i = from; i < stack_.size(); i += 2) hashable(PyDict_SetItem(target.ptr(), stack_[i].ptr(), stack_[i + 1].ptr()));
    stack_.resize(from);
  }

  static void hashable(int answer) {
    if (answer == 0) return;
    PyErr_Clear();
    throw NotPlain("it is corrupt");
  }

  nb::object& under(size_t from, PyTypeObject* type) {
    if (from == 0 || Py_TYPE(stack_[from - 1].ptr()) != type) throw NotPlain("it is corrupt");
    return stack_[from - 1];
  }

  bool remember(uint64_t key) {
    memo_[key] = top();
    return false;
  }

  nb::object recalled(uint64_t key) const {
    const auto found = memo_.find(key);
    if (found == memo_.end()) throw NotPlain("it is corrupt");
    return found->second;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  std::vector<nb::object> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, nb::object> memo_;
};

}  // namespace

void bind_plain_pickle(nb::module_& m) {
  nb::exception<NotPlain>(m, "NotPlain", PyExc_ValueError);
  m.def("read_plain_pickle", [](nb::bytes data) { return PlainPickle({data.c_str(), data.size()}).read(); }, "data"_a);
}

}  // namespace stepscope
