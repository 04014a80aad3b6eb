// The tables themselves: TensorFlow's, JAX's and XLA's own names, CUPTI's and ROCm's, NCCL's.
#include "profile/xspace_rules.hpp"

#include <algorithm>

namespace stepscope::profile::xspace {
namespace {

using K = SpanKind;
using M = Match;

constexpr KindRule kHostKinds[] = {
    {M::prefix, "ThreadpoolListener::", K::other},
    {M::prefix, "end: ", K::other},  // the end of an XLA operation on a CPU, as a point in time
    // What the step waits for. The pipeline's own stages are not it: they run ahead on their own threads.
    {M::prefix, "IteratorGetNext", K::input},
    {M::suffix, ":IteratorGetNext", K::input},
    {M::suffix, ":IteratorGetNextSync", K::input},
    {M::suffix, ":IteratorGetNextAsOptional", K::input},
    {M::exact, "Iterator::Root", K::input},
    {M::prefix, "Iterator::", K::framework},
    {M::prefix, "InfeedEnqueue", K::runtime},
    // Compilation and tracing.
    {M::contains, "::Compile", K::compile},
    {M::contains, "Compiler::", K::compile},
    {M::prefix, "XlaCompil", K::compile},
    {M::prefix, "BackendCompile", K::compile},
    {M::prefix, "HLO passes", K::compile},
    {M::prefix, "RunHloPasses", K::compile},
    {M::prefix, "LlvmIr", K::compile},
    {M::prefix, "CompileModule", K::compile},
    {M::prefix, "MetaOptimizer", K::compile},
    {M::contains, "::InstantiateMultiDevice", K::compile},
    {M::prefix, "OptimizeFunctionGraph", K::compile},
    {M::suffix, "backend_compile", K::compile},
    {M::suffix, "backend_compile_and_load", K::compile},
    {M::suffix, "compile_or_get_cached", K::compile},
    {M::suffix, "_compile_and_write_cache", K::compile},
    {M::suffix, "lower_sharding_computation", K::compile},
    {M::suffix, "_cached_lowering_to_hlo", K::compile},
    {M::suffix, "lower_jaxpr_to_module", K::compile},
    {M::suffix, "_create_pjit_jaxpr", K::compile},
    {M::suffix, "trace_to_jaxpr", K::compile},
    {M::suffix, "trace_to_jaxpr_dynamic", K::compile},
    {M::suffix, "func_graph_from_py_func", K::compile},
    {M::suffix, "trace_function", K::compile},
    // Python's garbage.
    {M::exact, "PythonRefManager::CollectGarbage", K::gc},
    {M::exact, "$gc collect", K::gc},
    {M::suffix, " _xla_gc_callback", K::gc},
    // Checkpoints and summaries.
    {M::suffix, ":SaveV2", K::io},
    {M::suffix, ":RestoreV2", K::io},
    {M::suffix, ":MergeV2Checkpoints", K::io},
    {M::suffix, ":WriteSummary", K::io},
    {M::suffix, ":WriteScalarSummary", K::io},
    {M::suffix, ":WriteHistogramSummary", K::io},
    {M::suffix, ":WriteImageSummary", K::io},
    {M::suffix, ":FlushSummaryWriter", K::io},
    {M::prefix, "EagerLocalExecute: DisableCopyOnRead", K::io},  // of every variable that a checkpoint is about to read
    {M::prefix, "EagerLocalExecute: SaveV2", K::io},
    {M::prefix, "EagerLocalExecute: RestoreV2", K::io},
    {M::prefix, "EagerLocalExecute: MergeV2Checkpoints", K::io},
    {M::prefix, "EagerLocalExecute: Write", K::io},
    {M::prefix, "EagerLocalExecute: FlushSummaryWriter", K::io},
    // Python's data loaders, when Python is traced.
    {M::frame, "dataloader.py __next__", K::input},
    {M::frame, "data_loader.py __next__", K::input},
    {M::frame, "dataset_iterator.py __next__", K::input},
    // Python that stands still until arrays are computed.
    {M::suffix, " block_until_ready", K::sync},
    {M::suffix, " try_to_block", K::sync},
    {M::prefix, "$", K::python},
    // Calls into the device's runtime and driver.
    {M::suffix, "Synchronize", K::sync},
    {M::suffix, "Synchronize_ptsz", K::sync},
    {M::contains, "BlockHostUntil", K::sync},
    {M::prefix, "BlockUntilReady", K::sync},
    {M::suffix, "PjRtBuffer::Await", K::sync},
    {M::exact, "np.asarray(jax.Array)", K::sync},  // reading an array on the host waits until it is computed
    {M::prefix, "cuMemAlloc", K::alloc},
    {M::prefix, "cuMemFree", K::alloc},
    {M::prefix, "cuMemHostAlloc", K::alloc},
    {M::prefix, "cuMemHostRegister", K::alloc},
    {M::prefix, "cuMemHostUnregister", K::alloc},
    {M::prefix, "cudaMalloc", K::alloc},
    {M::prefix, "cudaFree", K::alloc},
    {M::prefix, "cudaHostAlloc", K::alloc},
    {M::prefix, "hipMalloc", K::alloc},
    {M::prefix, "hipFree", K::alloc},
    {M::prefix, "hipHostMalloc", K::alloc},
    {M::prefix, "hipHostFree", K::alloc},
    {M::prefix, "hipExtMalloc", K::alloc},
    {M::prefix, "DeviceMemAllocator::", K::alloc},
    {M::call, "cuda", K::runtime},
    {M::call, "cu", K::runtime},
    {M::call, "hip", K::runtime},
    {M::prefix, "hsa_", K::runtime},
    {M::call, "nccl", K::runtime},
    {M::prefix, "DoEnqueueProgram", K::runtime},  // of a TPU
    // Communication that runs on the host itself, and TensorFlow's operations for it. Those that only arrange a group wait for nobody.
    {M::contains, ":CollectiveAssignGroup", K::op},
    {M::contains, ":CollectiveInitializeCommunicator", K::op},
    {M::contains, ":Collective", K::collective},
    {M::contains, ":Nccl", K::collective},
    {M::contains, ":_Nccl", K::collective},
    {M::contains, ":Horovod", K::collective},
    {M::contains, ":Hccl", K::collective},
    {M::prefix, "RecvTensor", K::collective},
    {M::suffix, ":RecvTensor", K::collective},
    {M::prefix, "gloo", K::collective},
    {M::prefix, "Gloo", K::collective},
    {M::prefix, "RingReduce", K::collective},
    {M::prefix, "RingGather", K::collective},
    {M::prefix, "MPI_", K::collective},
    // TensorFlow's and JAX's own calls.
    {M::prefix, "TFE_", K::framework},
    {M::prefix, "EagerExecute", K::framework},
    {M::prefix, "EagerLocalExecute", K::framework},
    {M::prefix, "EagerRemoteExecute", K::framework},
    {M::prefix, "EagerKernelExecute", K::framework},
    {M::prefix, "EagerCopyToDevice", K::framework},
    {M::prefix, "FunctionRun", K::framework},
    {M::prefix, "SessionRun", K::framework},
    {M::prefix, "RunGraph", K::framework},
    {M::prefix, "ExecutorDoneCallback", K::framework},
    {M::prefix, "ValidateInput", K::framework},
    {M::prefix, "PjitFunction(", K::framework},
    {M::prefix, "PJRT_", K::framework},
    {M::prefix, "ParseArguments", K::framework},
    {M::prefix, "Handle input", K::framework},
    {M::prefix, "Wait for ", K::framework},
    {M::prefix, "AllocateOutputBuffers", K::framework},
    {M::prefix, "MakeOutputBuffers", K::framework},
    {M::prefix, "Resolve constant globals", K::framework},
    {M::prefix, "Build buffer allocations", K::framework},
    {M::prefix, "ComputeSemaphoreAcquire", K::framework},
    {M::prefix, "ThenExecuteCallback", K::framework},
    {M::prefix, "RecordUsage", K::framework},
    {M::prefix, "shard_args", K::framework},
    {M::prefix, "DevicePut", K::framework},
    {M::prefix, "ExecuteReplicated", K::framework},
    {M::prefix, "BatchedCopyToDevice", K::framework},
    {M::prefix, "batched_copy_array", K::framework},
    {M::prefix, "cpp_pjit_shard_arg_fallback", K::framework},
    {M::prefix, "convert_to_tensor", K::framework},
    {M::prefix, "tf.", K::framework},
    {M::suffix, ":XLA GPU module", K::framework},
    {M::suffix, "Produce", K::framework},
    {M::suffix, "Consume", K::framework},
    {M::contains, "::", K::framework},
};

using D = CopyDirection;

constexpr CopyRule kDeviceKinds[] = {
    {M::prefix, "MemcpyH2D", K::copy, D::host_to_device},
    {M::prefix, "MEMCPYHToD", K::copy, D::host_to_device},
    {M::prefix, "CopyHostToDevice", K::copy, D::host_to_device},
    {M::prefix, "MemcpyD2H", K::copy, D::device_to_host},
    {M::prefix, "MEMCPYDToH", K::copy, D::device_to_host},
    {M::prefix, "CopyDeviceToHost", K::copy, D::device_to_host},
    {M::prefix, "MemcpyD2D", K::copy, D::device_to_device},
    {M::prefix, "MEMCPYDToD", K::copy, D::device_to_device},
    {M::prefix, "CopyDeviceToDevice", K::copy, D::device_to_device},
    {M::prefix, "__amd_rocclr_copyBuffer", K::copy, D::device_to_device},
    {M::prefix, "MemcpyP2P", K::copy, D::peer},
    {M::prefix, "MEMCPYPToP", K::copy, D::peer},
    {M::prefix, "MemcpyH2H", K::copy, D::host_to_host},
    {M::prefix, "MEMCPYHToH", K::copy, D::host_to_host},
    {M::prefix, "Memcpy", K::copy, D::unknown},
    {M::prefix, "MEMCPY", K::copy, D::unknown},
    {M::prefix, "Memset", K::fill, D::unknown},
    {M::prefix, "MEMSET", K::fill, D::unknown},
    {M::prefix, "__amd_rocclr_fillBuffer", K::fill, D::unknown},
    {M::prefix, "nccl", K::collective, D::unknown},
    {M::prefix, "Nccl", K::collective, D::unknown},
    {M::prefix, "void nccl", K::collective, D::unknown},
    {M::prefix, "rccl", K::collective, D::unknown},
    {M::prefix, "hccl", K::collective, D::unknown},
    {M::prefix, "hcom_", K::collective, D::unknown},
    {M::contains, "msccl", K::collective, D::unknown},
    {M::contains, "oneccl", K::collective, D::unknown},
    {M::contains, "nvshmem", K::collective, D::unknown},
    {M::contains, "rocshmem", K::collective, D::unknown},
    {M::contains, "deep_ep::", K::collective, D::unknown},
    {M::contains, "::internode::", K::collective, D::unknown},
    {M::contains, "::internode_ll::", K::collective, D::unknown},
    {M::contains, "::intranode::", K::collective, D::unknown},
    {M::contains, "cross_device_reduce", K::collective, D::unknown},
    {M::contains, "custom_all_reduce", K::collective, D::unknown},
    {M::contains, "one_shot_all_reduce", K::collective, D::unknown},
    {M::contains, "two_shot_all_reduce", K::collective, D::unknown},
    {M::contains, "multimem_all_", K::collective, D::unknown},
    {M::contains, "AllReduceKernel", K::collective, D::unknown},
    {M::prefix, "MemAlloc", K::alloc, D::unknown},
    {M::prefix, "MemFree", K::alloc, D::unknown},
    {M::prefix, "MemoryResidency", K::other, D::unknown},
    {M::prefix, "UnifiedMemory", K::other, D::unknown},
};

constexpr CopyRule kHloKinds[] = {
    {M::prefix, "all-reduce", K::collective, D::unknown},
    {M::prefix, "all-gather", K::collective, D::unknown},
    {M::prefix, "all-to-all", K::collective, D::unknown},
    {M::prefix, "ragged-all-to-all", K::collective, D::unknown},
    {M::prefix, "reduce-scatter", K::collective, D::unknown},
    {M::prefix, "collective-", K::collective, D::unknown},
    {M::prefix, "async-collective", K::collective, D::unknown},
    // JAX names instructions after what was called.
    {M::prefix, "psum", K::collective, D::unknown},
    {M::prefix, "pmax", K::collective, D::unknown},
    {M::prefix, "pmin", K::collective, D::unknown},
    {M::prefix, "ppermute", K::collective, D::unknown},
    {M::prefix, "pbroadcast", K::collective, D::unknown},
    {M::prefix, "all_gather", K::collective, D::unknown},
    {M::prefix, "all_to_all", K::collective, D::unknown},
    {M::prefix, "ragged_all_to_all", K::collective, D::unknown},
    {M::prefix, "reduce_scatter", K::collective, D::unknown},
    {M::prefix, "send", K::collective, D::unknown},
    {M::prefix, "recv", K::collective, D::unknown},
    {M::prefix, "infeed", K::copy, D::host_to_device},
    {M::prefix, "outfeed", K::copy, D::device_to_host},
    {M::prefix, "host recv", K::copy, D::host_to_device},
    {M::prefix, "host send", K::copy, D::device_to_host},
    {M::prefix, "copy-start", K::copy, D::device_to_device},
    {M::prefix, "copy-done", K::copy, D::device_to_device},
};

constexpr CollectiveRule kCollectives[] = {
    {"ReduceScatter", "reduce_scatter"},
    {"reduce-scatter", "reduce_scatter"},
    {"reduce_scatter", "reduce_scatter"},
    {"psum_scatter", "reduce_scatter"},
    {"CollectiveReduce", "allreduce"},
    {"CollectiveGather", "allgather"},
    {"CollectiveBcast", "broadcast"},
    {"AllReduce", "allreduce"},
    {"all-reduce", "allreduce"},
    {"AllGather", "allgather"},
    {"all-gather", "allgather"},
    {"AllToAll", "alltoall"},
    {"all-to-all", "alltoall"},
    {"SendRecv", "sendrecv"},
    {"collective-permute", "sendrecv"},
    {"ppermute", "sendrecv"},
    {"Broadcast", "broadcast"},
    {"collective-broadcast", "broadcast"},
    {"all_reduce", "allreduce"},
    {"Allreduce", "allreduce"},
    {"allreduce", "allreduce"},
    {"allReduce", "allreduce"},
    {"cross_device_reduce", "allreduce"},
    {"psum", "allreduce"},
    {"pmax", "allreduce"},
    {"pmin", "allreduce"},
    {"all_gather", "allgather"},
    {"Allgather", "allgather"},
    {"allgather", "allgather"},
    {"allGather", "allgather"},
    {"all_to_all", "alltoall"},
    {"Alltoall", "alltoall"},
    {"alltoall", "alltoall"},
    {"pbroadcast", "broadcast"},
    {"broadcast", "broadcast"},
    {"dispatch", "dispatch"},
    {"combine", "combine"},
    {"Reduce", "reduce"},
    {"reduce", "reduce"},
    {"Send", "send"},
    {"Recv", "recv"},
    {"send", "send"},
    {"recv", "recv"},
};

constexpr std::string_view kCounters = "_counters_";
constexpr std::string_view kSamples = "Python samples";  // of Stepscope's own: they repeat in time what the thread's own line has

// Lines that repeat what streams and threads hold, on any device.
constexpr RoleRule kLineRoles[] = {
    {M::exact, "Steps", TrackRole::marker},
    {M::exact, "Sparse Core Steps", TrackRole::marker},
    {M::exact, "XLA Modules", TrackRole::derived},
    {M::exact, "Sparse Core Modules", TrackRole::derived},
    {M::prefix, "Framework Name Scope", TrackRole::derived},
    {M::prefix, "Framework Ops", TrackRole::derived},
    {M::prefix, "TensorFlow Name Scope", TrackRole::derived},
    {M::prefix, "TensorFlow Ops", TrackRole::derived},
    {M::prefix, "Source code", TrackRole::derived},
    {M::prefix, "Source Code", TrackRole::derived},
    {M::prefix, "Launch Stats", TrackRole::derived},
    {M::prefix, "CUPTI overhead", TrackRole::derived},
    {M::exact, "XLA TraceMe", TrackRole::derived},
    {M::exact, "Tensor Core Sync Flag", TrackRole::derived},
    {M::exact, "Sparse Core Syncs", TrackRole::derived},
    {M::exact, kCounters, TrackRole::counter},
};

constexpr PurposeRule kPurposes[] = {
    {M::prefix, "tf_data_", TrackPurpose::input},
    {M::prefix, "tf_PjRtCompilerThreadPool", TrackPurpose::other},
    {M::prefix, "tf_xla_compil", TrackPurpose::other},
    {M::prefix, "tf_xla-cpu-codegen", TrackPurpose::other},
    {M::prefix, "tf_Compute", TrackPurpose::executor},
    {M::prefix, "tf_XLA", TrackPurpose::executor},
    {M::prefix, "tf_xla", TrackPurpose::executor},
    {M::prefix, "tf_numa_", TrackPurpose::executor},
    {M::prefix, "tf_Eigen", TrackPurpose::executor},
    {M::prefix, "tf_inter_op", TrackPurpose::executor},
    {M::prefix, "tf_intra_op", TrackPurpose::executor},
    {M::prefix, "tf_pjrt", TrackPurpose::executor},
    {M::prefix, "tf_gpu", TrackPurpose::executor},
    {M::prefix, "py_xla_execute", TrackPurpose::executor},
    {M::prefix, "pt_data_", TrackPurpose::input},
    {M::prefix, "grain", TrackPurpose::input},
    {M::prefix, "nccl", TrackPurpose::communication},
    {M::prefix, "gloo", TrackPurpose::communication},
    {M::prefix, "tf_collective", TrackPurpose::communication},
    {M::prefix, "collective_ops", TrackPurpose::communication},
    {M::prefix, "grpc_worker_service", TrackPurpose::communication},
    {M::prefix, "GrpcWorkerEnv", TrackPurpose::communication},
    {M::prefix, "tf_GrpcWorkerEnv", TrackPurpose::communication},
    {M::contains, "rofiler", TrackPurpose::other},
};

constexpr std::string_view kCompilingThreads[] = {"tf_PjRtCompilerThreadPool", "tf_xla_compil", "tf_xla-cpu-codegen"};

constexpr std::pair<std::string_view, Stat> kStatNames[] = {
    {"step_num", Stat::step_num},
    {"_r", Stat::root},
    {"_pt", Stat::producer_type},
    {"_p", Stat::producer},
    {"_ct", Stat::consumer_type},
    {"_c", Stat::consumer},
    {"id", Stat::id},
    {"correlation_id", Stat::correlation_id},
    {"tf_op", Stat::tf_op},
    {"name", Stat::op_path},
    {"hlo_op", Stat::hlo_op},
    {"hlo_module", Stat::hlo_module},
    {"program_id", Stat::program_id},
    {"hlo_category", Stat::hlo_category},
    {"flops", Stat::flops},
    {"bytes_accessed", Stat::bytes_accessed},
    {"source", Stat::source},
    {"shape", Stat::shape},
    {"shapes", Stat::shape},
    {"tensor_shapes", Stat::shape},
    {"shape_with_layout", Stat::shape},
    {"is_eager", Stat::is_eager},
    {"kernel_details", Stat::kernel_details},
    {"memcpy_details", Stat::memcpy_details},
    {"Memset_details", Stat::memcpy_details},
    {"memset_details", Stat::memcpy_details},
    {"theoretical_occupancy_pct", Stat::occupancy},
    {"cuda_graph_node_id", Stat::graph_node},
    {"tf_function_call", Stat::tf_function_call},
    {"_ipl_stage_name", Stat::input_stage},
    {"allocator_name", Stat::allocator_name},
    {"allocation_bytes", Stat::allocation_bytes},
    {"requested_bytes", Stat::requested_bytes},
    {"bytes_allocated", Stat::bytes_allocated},
    {"bytes_reserved", Stat::bytes_reserved},
    {"addr", Stat::addr},
    {"data_type", Stat::data_type},
    {"group_key", Stat::group_key},
    {"group_size", Stat::group_size},
    {"kernel_type", Stat::kernel_type},
    {"key", Stat::rendezvous_key},
    {"counter_value", Stat::counter_value},
    {"run_id", Stat::run_id},
    {"queue_id", Stat::queue_id},
    {"device_ordinal", Stat::device_ordinal},
    {"core_type", Stat::core_type},
    {"Hlo Proto", Stat::hlo_proto},
    {"hlo_proto", Stat::hlo_proto},
    {"profile_start_time", Stat::profile_start_time},
    {"profile_stop_time", Stat::profile_stop_time},
    {"profile_options", Stat::profile_options},
};

constexpr std::pair<std::string_view, PlaneKind> kPlanes[] = {
    {"/host:metadata", PlaneKind::metadata},
    {"/host:tfstreamz", PlaneKind::metadata},
    {"/host:__ScopeRangeCallStack__", PlaneKind::metadata},
    {"Task Environment", PlaneKind::environment},
    {"/host:", PlaneKind::host},
    {"/device:GPU:", PlaneKind::gpu},
    {"/device:TPU:", PlaneKind::tpu},
    {"/device:CUSTOM:", PlaneKind::derived},
    {"/device:", PlaneKind::device},
};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_word(char c) { return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

template <class Rules>
auto find_rule(const Rules& rules, std::string_view name) {
  const auto found =
      std::find_if(std::begin(rules), std::end(rules), [&](const auto& rule) { return matches(rule.match, rule.text, name); });
  return found == std::end(rules) ? nullptr : &*found;
}

}  // namespace

bool matches(Match match, std::string_view text, std::string_view name) {
  switch (match) {
    case Match::exact:
      return name == text;
    case Match::prefix:
      return name.starts_with(text);
    case Match::suffix:
      return name.ends_with(text);
    case Match::contains:
      return name.find(text) != std::string_view::npos;
    case Match::call:
      return name.size() > text.size() && name.starts_with(text) && is_upper(name[text.size()]);
    case Match::frame: {
      const std::string_view file = text.substr(0, text.find(' ')), function = text.substr(file.size());
      return name.starts_with('$') && name.substr(1).starts_with(file) && name.substr(1 + file.size()).starts_with(':') &&
             name.ends_with(function);
    }
  }
  return false;
}

Stat stat_of(std::string_view name) {
  for (const auto& [text, stat] : kStatNames)
    if (name == text) return stat;
  return Stat::other;
}

PlaneKind plane_kind(std::string_view name) {
  for (const auto& [text, kind] : kPlanes)
    if (name.starts_with(text)) return kind;
  return PlaneKind::derived;
}

std::span<const KindRule> host_kinds() { return kHostKinds; }
std::span<const CopyRule> device_kinds() { return kDeviceKinds; }
std::span<const CopyRule> hlo_kinds() { return kHloKinds; }

bool host_kind(std::string_view name, SpanKind& kind) {
  if (const KindRule* rule = find_rule(kHostKinds, name)) {
    kind = rule->kind;
    return true;
  }
  std::string_view op, type;
  if (!split_operation(name, op, type)) return false;
  kind = SpanKind::op;
  return true;
}

SpanKind device_kind(std::string_view name, CopyDirection& direction) {
  const CopyRule* rule = find_rule(kDeviceKinds, name);
  direction = rule ? rule->direction : CopyDirection::unknown;
  return rule ? rule->kind : SpanKind::kernel;
}

bool hlo_kind(std::string_view hlo, SpanKind& kind, CopyDirection& direction) {
  if (hlo.starts_with('%')) hlo.remove_prefix(1);
  const CopyRule* rule = find_rule(kHloKinds, hlo);
  if (!rule) return false;
  kind = rule->kind;
  direction = rule->direction;
  return true;
}

CopyDirection host_copy(std::string_view hlo) {
  static constexpr std::string_view kHostMemory = "S(5)";
  const size_t equals = hlo.find(" = ");
  if (equals == std::string_view::npos) return CopyDirection::unknown;
  // The first shape is where the data goes: the result, or the first of a start's results.
  const std::string_view rest = hlo.substr(equals + 3);
  const size_t brace = rest.find('{'), closed = brace == std::string_view::npos ? brace : rest.find('}', brace);
  if (closed == std::string_view::npos) return CopyDirection::unknown;
  if (rest.substr(brace, closed - brace).find(kHostMemory) != std::string_view::npos) return CopyDirection::device_to_host;
  return rest.find(kHostMemory, closed) != std::string_view::npos ? CopyDirection::host_to_device : CopyDirection::unknown;
}

bool is_asynchronous(std::string_view line) { return line == "Async XLA Ops"; }

bool is_half(std::string_view hlo) {
  hlo = hlo_type(hlo);
  return hlo.ends_with("-start") || hlo.ends_with("-done");
}

std::string_view hlo_type(std::string_view hlo) {
  const size_t number = hlo.find_last_not_of("0123456789");
  const bool numbered = number != std::string_view::npos && number > 0 && number + 1 < hlo.size() && hlo[number] == '.';
  return numbered ? hlo.substr(0, number) : hlo;
}

bool crosses_hosts(std::string_view key) {
  if (!key.starts_with("/job:")) return false;
  const size_t end = key.find(';');
  const size_t again = key.find(";/job:", end);
  if (end == std::string_view::npos || again == std::string_view::npos) return false;
  const auto process = [](std::string_view device) { return device.substr(0, device.find("/device:")); };
  const std::string_view target = key.substr(again + 1);
  return process(key.substr(0, end)) != process(target.substr(0, target.find(';')));
}

std::string_view collective_name(std::string_view name) {
  for (const CollectiveRule& rule : kCollectives)
    if (name.find(rule.text) != std::string_view::npos) return rule.name;
  return {};
}

TrackRole line_role(PlaneKind plane, std::string_view name) {
  if (plane == PlaneKind::host && name.starts_with(kSamples)) return TrackRole::derived;
  if (plane == PlaneKind::host) return name == kCounters ? TrackRole::counter : TrackRole::thread;
  if (const RoleRule* rule = find_rule(kLineRoles, name)) return rule->role;
  // A GPU's operations repeat its streams; a TPU's are what it executes.
  if (plane == PlaneKind::gpu && (name == "XLA Ops" || name.starts_with("XLA Ops - "))) return TrackRole::derived;
  return plane == PlaneKind::derived ? TrackRole::derived : TrackRole::stream;
}

TrackPurpose thread_purpose(std::string_view name) {
  const PurposeRule* rule = find_rule(kPurposes, name);
  return rule ? rule->purpose : TrackPurpose::unknown;
}

bool compiles(std::string_view thread) {
  return std::any_of(std::begin(kCompilingThreads), std::end(kCompilingThreads),
                     [&](std::string_view prefix) { return thread.starts_with(prefix); });
}

bool split_operation(std::string_view text, std::string_view& name, std::string_view& type) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size() || text[colon - 1] == ':') return false;
  name = text.substr(0, colon);
  type = text.substr(colon + 1);
  if (!is_upper(type[0]) && type[0] != '_') return false;
  if (!std::all_of(type.begin(), type.end(), is_word)) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_word(c) || c == '.' || c == '/' || c == '>' || c == '-' || c == '\\' || c == '[' || c == ']' || c == '^';
  });
}

void split_path(std::string_view text, std::string_view& path, std::string_view& type) {
  const size_t colon = text.rfind(':');
  path = text;
  type = {};
  if (colon == std::string_view::npos || !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(colon) + 1, text.end(), is_word))
    return;
  type = text.substr(colon + 1);
  path = type.empty() ? std::string_view{} : text.substr(0, colon);
}

}  // namespace stepscope::profile::xspace
