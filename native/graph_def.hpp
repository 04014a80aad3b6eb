// Reads TensorFlow's GraphDef, and the functions in its library, into columns; the values of constants are never read.
#pragma once

#include <cstdint>
#include <vector>

#include "file_window.hpp"
#include "profile/text_pool.hpp"

namespace stepscope::graph {

// How much of one GraphDef is read; what is beyond is counted and left out.
struct Limits {
  uint64_t nodes = 1'000'000;   // of the graph and all its functions
  uint64_t inputs = 8'000'000;  // edges, of all of them
};

// One graph. Numbers of texts go into GraphDef::texts; `ends` give the slices of a node, as in [end[row - 1], end[row]).
struct Columns {
  int32_t name = 0;  // of a function; the empty text for the graph itself
  std::vector<int32_t> node, op, device;
  std::vector<int32_t> shapes;          // of the outputs, "[?,28,28]; []"; the empty text when unknown
  std::vector<int32_t> dtypes;          // of the outputs, "float32; int64"; the empty text when unknown
  std::vector<int32_t> cluster;         // of XLA, the empty text for none
  std::vector<int64_t> constant_bytes;  // of the tensor in its attribute `value`
  std::vector<int64_t> likeness;        // equal for nodes with the same attributes; 0 when they are too large to be compared
  std::vector<int64_t> offset, size;    // where its NodeDef is; size 0 for an argument or result of a function
  std::vector<int32_t> input_end, input, input_name, port;  // input: row, -1 when no node has the name; port: -1 for a control edge
  std::vector<int32_t> called_end, called;                  // names of functions
};

struct GraphDef {
  profile::TextPool texts;
  std::vector<Columns> graphs;  // the graph itself first
  uint64_t nodes_left_out = 0;
  uint64_t repeated_names = 0;  // nodes whose name an earlier node of the same graph has; edges go to the first
  bool damaged = false;         // what follows the damage is missing
};

// Reads the message of `length` bytes at `offset`. Throws std::system_error when the bytes cannot be read.
GraphDef read_graph_def(const Origin& origin, uint64_t offset, uint64_t length, const Limits& limits);

// The same for bytes in memory.
GraphDef read_graph_def(std::string_view bytes, const Limits& limits);

}  // namespace stepscope::graph
