// Ties events that a trace writes apart: operations to what they launched, flows to their spans, launches to facts of their kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "profile/span_builder.hpp"

namespace stepscope::profile {

class KinetoLinks {
 public:
  enum class FlowUse : uint8_t { launch, backward, other };

  struct FlowEnd {
    uint64_t key;
    int64_t time;
    int64_t process, thread;
    FlowUse use;
    bool source;
  };
  struct Kernel {
    SpanId span;
    KernelFacts facts;
    int64_t correlation, external;
    bool has_grid, is_collective, has_collective_facts;
    CollectiveFacts collective;
  };
  struct Copy {
    SpanId span;
    CopyFacts facts;
    int64_t correlation;
  };

  // A stream that was told to wait until another one has done what was asked of it before an event was recorded.
  struct StreamWait {
    int64_t time;
    int64_t record;  // correlation of the call that recorded the event
    int64_t process, stream, other_stream;
  };

  void add_operation(int64_t external, int32_t operation) { operations_.push_back({external, operation}); }
  // A number to be put where a span's operation goes until it is known.
  int32_t await_operation(int64_t external);
  void add_communication(int64_t external, const CollectiveFacts& facts) { communications_.push_back({external, facts}); }
  void add_launch_facts(int64_t correlation, const KernelFacts& facts) { launch_facts_.push_back({correlation, facts}); }
  void add_launch_bytes(int64_t correlation, int64_t bytes) { launch_bytes_.push_back({correlation, bytes}); }
  void add_kernel(const Kernel& kernel) { kernels_.push_back(kernel); }
  void add_copy(const Copy& copy) { copies_.push_back(copy); }
  void add_flow(const FlowEnd& end);
  void add_record(int64_t correlation, int64_t time) { records_.push_back({correlation, time}); }
  void add_stream_wait(const StreamWait& wait) { waits_.push_back(wait); }
  void count_correlated() { ++correlated_; }

  // Hands kernels, copies and collectives over, with what their launches knew. To be called before the builder finishes.
  void finish_facts(SpanBuilder& builder);
  // Fills operations, flows and missing causes in the finished tables. `track_of` finds the track of a flow's end, or none.
  using TrackOf = std::function<int32_t(const FlowEnd&)>;
  void finish_rows(Tables& tables, const TrackOf& track_of);
  // Adds a flow for every wait of a stream whose work on both sides was recorded. `stream_of` finds the track of a stream, or none.
  using StreamOf = std::function<int32_t(int64_t process, int64_t stream)>;
  void finish_waits(Tables& tables, const StreamOf& stream_of);

 private:
  template <class Value>
  struct By {
    int64_t id;
    Value value;
  };
  template <class Value>
  static void sort(std::vector<By<Value>>& all);
  template <class Value>
  static const Value* find(const std::vector<By<Value>>& sorted, int64_t id);

  void fill_operations(Tables& tables);
  void fill_flows(Tables& tables, const TrackOf& track_of);

  static constexpr uint64_t kEnoughCorrelated = 16;  // from where on flows of launches tell nothing that correlation does not

  std::vector<By<int32_t>> operations_;
  std::vector<int64_t> awaited_;
  std::vector<By<CollectiveFacts>> communications_;
  std::vector<By<KernelFacts>> launch_facts_;
  std::vector<By<int64_t>> launch_bytes_;
  std::vector<Kernel> kernels_;
  std::vector<Copy> copies_;
  std::vector<FlowEnd> flows_;
  std::vector<By<int64_t>> records_;
  std::vector<StreamWait> waits_;
  uint64_t correlated_ = 0;
};

}  // namespace stepscope::profile
