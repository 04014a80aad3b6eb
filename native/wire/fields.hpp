// The protobuf field numbers of TensorBoard's messages, declared once for reading, writing and Python.
#pragma once

#include <cstdint>

// clang-format off
namespace stepscope::wire {

// X(message, field, number)
#define STEPSCOPE_FIELDS(X)            \
  X(Event, wall_time, 1)               \
  X(Event, step, 2)                    \
  X(Event, file_version, 3)            \
  X(Event, graph_def, 4)               \
  X(Event, summary, 5)                 \
  X(Event, session_log, 7)             \
  X(Event, tagged_run_metadata, 8)     \
  X(Event, meta_graph_def, 9)          \
  X(Event, source_metadata, 10)        \
  X(SourceMetadata, writer, 1)         \
  X(SessionLog, status, 1)             \
  X(TaggedRunMetadata, tag, 1)         \
  X(TaggedRunMetadata, run_metadata, 2)\
  X(Summary, value, 1)                 \
  X(Value, tag, 1)                     \
  X(Value, simple_value, 2)            \
  X(Value, image, 4)                   \
  X(Value, histo, 5)                   \
  X(Value, audio, 6)                   \
  X(Value, node_name, 7)               \
  X(Value, tensor, 8)                  \
  X(Value, metadata, 9)                \
  X(SummaryMetadata, plugin_data, 1)   \
  X(SummaryMetadata, display_name, 2)  \
  X(SummaryMetadata, summary_description, 3) \
  X(SummaryMetadata, data_class, 4)    \
  X(PluginData, plugin_name, 1)        \
  X(PluginData, content, 2)            \
  X(Image, height, 1)                  \
  X(Image, width, 2)                   \
  X(Image, colorspace, 3)              \
  X(Image, encoded_image_string, 4)    \
  X(Audio, sample_rate, 1)             \
  X(Audio, num_channels, 2)            \
  X(Audio, length_frames, 3)           \
  X(Audio, encoded_audio_string, 4)    \
  X(Audio, content_type, 5)            \
  X(HistogramProto, min, 1)            \
  X(HistogramProto, max, 2)            \
  X(HistogramProto, num, 3)            \
  X(HistogramProto, sum, 4)            \
  X(HistogramProto, sum_squares, 5)    \
  X(HistogramProto, bucket_limit, 6)   \
  X(HistogramProto, bucket, 7)         \
  X(AudioPluginData, encoding, 2)      \
  X(PrCurvePluginData, num_thresholds, 2) \
  X(MeshPluginData, name, 2)           \
  X(MeshPluginData, content_type, 3)   \
  X(MeshPluginData, json_config, 5)    \
  X(MeshPluginData, shape, 6)          \
  X(MeshPluginData, components, 7)     \
  X(Layout, category, 2)               \
  X(Category, title, 1)                \
  X(Category, chart, 2)                \
  X(Chart, title, 1)                   \
  X(Chart, multiline, 2)               \
  X(Chart, margin, 3)                  \
  X(MultilineChartContent, tag, 1)     \
  X(MarginChartContent, series, 1)     \
  X(MarginSeries, value, 1)            \
  X(MarginSeries, lower, 2)            \
  X(MarginSeries, upper, 3)            \
  X(HParamsPluginData, experiment, 2)  \
  X(HParamsPluginData, session_start_info, 3) \
  X(HParamsPluginData, session_end_info, 4) \
  X(Experiment, time_created_secs, 3)  \
  X(Experiment, hparam_infos, 4)       \
  X(Experiment, metric_infos, 5)       \
  X(HParamInfo, name, 1)               \
  X(HParamInfo, display_name, 2)       \
  X(HParamInfo, description, 3)        \
  X(HParamInfo, type, 4)               \
  X(HParamInfo, domain_discrete, 5)    \
  X(HParamInfo, domain_interval, 6)    \
  X(Interval, min_value, 1)            \
  X(Interval, max_value, 2)            \
  X(MetricInfo, name, 1)               \
  X(MetricInfo, display_name, 3)       \
  X(MetricInfo, description, 4)        \
  X(MetricInfo, dataset_type, 5)       \
  X(MetricName, group, 1)              \
  X(MetricName, tag, 2)                \
  X(SessionStartInfo, hparams, 1)      \
  X(SessionStartInfo, group_name, 4)   \
  X(SessionStartInfo, start_time_secs, 5) \
  X(HParamsEntry, key, 1)              \
  X(HParamsEntry, value, 2)            \
  X(SessionEndInfo, status, 1)         \
  X(SessionEndInfo, end_time_secs, 2)  \
  X(StructValue, number_value, 2)      \
  X(StructValue, string_value, 3)      \
  X(StructValue, bool_value, 4)        \
  X(ListValue, values, 1)              \
  X(XSpace, planes, 1)                 \
  X(XSpace, errors, 2)                 \
  X(XSpace, warnings, 3)               \
  X(XSpace, hostnames, 4)              \
  X(XPlane, name, 2)                   \
  X(XPlane, lines, 3)                  \
  X(XPlane, event_metadata, 4)         \
  X(XPlane, stat_metadata, 5)          \
  X(XPlane, stats, 6)                  \
  X(XLine, id, 1)                      \
  X(XLine, name, 2)                    \
  X(XLine, timestamp_ns, 3)            \
  X(XLine, events, 4)                  \
  X(XLine, display_name, 11)           \
  X(XEvent, metadata_id, 1)            \
  X(XEvent, offset_ps, 2)              \
  X(XEvent, duration_ps, 3)            \
  X(XEvent, stats, 4)                  \
  X(XEvent, num_occurrences, 5)        \
  X(XStat, metadata_id, 1)             \
  X(XStat, double_value, 2)            \
  X(XStat, uint64_value, 3)            \
  X(XStat, int64_value, 4)             \
  X(XStat, str_value, 5)               \
  X(XStat, bytes_value, 6)             \
  X(XStat, ref_value, 7)               \
  X(XEventMetadata, name, 2)           \
  X(XEventMetadata, display_name, 4)   \
  X(XEventMetadata, stats, 5)          \
  X(XStatMetadata, name, 2)            \
  X(XMetadataEntry, key, 1)            \
  X(XMetadataEntry, value, 2)          \
  X(ProfileOptions, include_dataset_ops, 1) \
  X(ProfileOptions, host_tracer_level, 2)   \
  X(ProfileOptions, device_tracer_level, 3) \
  X(ProfileOptions, python_tracer_level, 4) \
  X(ProfileOptions, enable_hlo_proto, 7)    \
  X(ProfileOptions, duration_ms, 9)    \
  X(TensorProto, dtype, 1)             \
  X(TensorProto, tensor_shape, 2)      \
  X(TensorProto, tensor_content, 4)    \
  X(TensorProto, float_val, 5)         \
  X(TensorProto, double_val, 6)        \
  X(TensorProto, int_val, 7)           \
  X(TensorProto, string_val, 8)        \
  X(TensorProto, int64_val, 10)        \
  X(TensorProto, bool_val, 11)         \
  X(TensorProto, half_val, 13)         \
  X(TensorProto, uint32_val, 16)       \
  X(TensorProto, uint64_val, 17)       \
  X(TensorProto, float8_val, 18)       \
  X(TensorShape, dim, 2)               \
  X(TensorShape, unknown_rank, 3)      \
  X(Dim, size, 1)                      \
  X(SavedModel, meta_graphs, 2)        \
  X(MetaGraphDef, graph_def, 2)        \
  X(GraphDef, node, 1)                 \
  X(GraphDef, library, 2)              \
  X(GraphDef, versions, 4)             \
  X(FunctionDefLibrary, function, 1)   \
  X(FunctionDef, signature, 1)         \
  X(FunctionDef, node_def, 3)          \
  X(FunctionDef, ret, 4)               \
  X(FunctionDef, control_ret, 6)       \
  X(TextEntry, key, 1)                 \
  X(TextEntry, value, 2)               \
  X(OpDef, name, 1)                    \
  X(OpDef, input_arg, 2)               \
  X(OpDef, output_arg, 3)              \
  X(ArgDef, name, 1)                   \
  X(ArgDef, type, 3)                   \
  X(VersionDef, producer, 1)           \
  X(NodeDef, name, 1)                  \
  X(NodeDef, op, 2)                    \
  X(NodeDef, input, 3)                 \
  X(NodeDef, device, 4)                \
  X(NodeDef, attr, 5)                  \
  X(NodeAttr, key, 1)                  \
  X(NodeAttr, value, 2)                \
  X(AttrValue, list, 1)                \
  X(AttrValue, s, 2)                   \
  X(AttrValue, i, 3)                   \
  X(AttrValue, f, 4)                   \
  X(AttrValue, b, 5)                   \
  X(AttrValue, type, 6)                \
  X(AttrValue, shape, 7)               \
  X(AttrValue, tensor, 8)              \
  X(AttrValue, placeholder, 9)         \
  X(AttrValue, func, 10)               \
  X(AttrList, s, 2)                    \
  X(AttrList, i, 3)                    \
  X(AttrList, f, 4)                    \
  X(AttrList, b, 5)                    \
  X(AttrList, type, 6)                 \
  X(AttrList, shape, 7)                \
  X(AttrList, tensor, 8)               \
  X(AttrList, func, 9)                 \
  X(NameAttrList, name, 1)             \
  X(RunMetadata, step_stats, 1)        \
  X(RunMetadata, partition_graphs, 3)  \
  X(RunMetadata, function_graphs, 4)   \
  X(FunctionGraphs, partition_graphs, 1)\
  X(FunctionGraphs, pre_optimization_graph, 2)\
  X(FunctionGraphs, post_optimization_graph, 3)\
  X(StepStats, dev_stats, 1)           \
  X(DeviceStepStats, device, 1)        \
  X(DeviceStepStats, node_stats, 2)    \
  X(NodeExecStats, node_name, 1)       \
  X(NodeExecStats, all_start_micros, 2)\
  X(NodeExecStats, op_start_rel_micros, 3)\
  X(NodeExecStats, op_end_rel_micros, 4)\
  X(NodeExecStats, all_end_rel_micros, 5)\
  X(NodeExecStats, memory, 6)          \
  X(NodeExecStats, output, 7)          \
  X(NodeExecStats, timeline_label, 8)  \
  X(NodeExecStats, all_start_nanos, 13)\
  X(NodeExecStats, op_start_rel_nanos, 14)\
  X(NodeExecStats, op_end_rel_nanos, 15)\
  X(NodeExecStats, all_end_rel_nanos, 16)\
  X(AllocatorMemoryUsed, allocator_name, 1)\
  X(AllocatorMemoryUsed, total_bytes, 2)\
  X(AllocatorMemoryUsed, peak_bytes, 3)\
  X(AllocatorMemoryUsed, live_bytes, 4)\
  X(AllocatorMemoryUsed, allocation_records, 6)\
  X(AllocationRecord, alloc_micros, 1) \
  X(AllocationRecord, alloc_bytes, 2)  \
  X(NodeOutput, slot, 1)               \
  X(NodeOutput, tensor_description, 3) \
  X(TensorDescription, dtype, 1)       \
  X(TensorDescription, shape, 2)       \
  X(TensorDescription, allocation_description, 4)\
  X(AllocationDescription, requested_bytes, 1)\
  X(AllocationDescription, allocated_bytes, 2)\
  X(AllocationDescription, allocator_name, 3)\
  X(PerfettoTrace, packet, 1)          \
  X(TracePacket, clock_snapshot, 6)    \
  X(TracePacket, timestamp, 8)         \
  X(TracePacket, trusted_packet_sequence_id, 10)\
  X(TracePacket, track_event, 11)      \
  X(TracePacket, interned_data, 12)    \
  X(TracePacket, sequence_flags, 13)   \
  X(TracePacket, compressed_packets, 50)\
  X(TracePacket, timestamp_clock_id, 58)\
  X(TracePacket, trace_packet_defaults, 59)\
  X(TracePacket, track_descriptor, 60) \
  X(TracePacketDefaults, track_event_defaults, 11)\
  X(TracePacketDefaults, timestamp_clock_id, 58)\
  X(TrackEventDefaults, track_uuid, 11)\
  X(ClockSnapshot, clocks, 1)          \
  X(SnapshotClock, clock_id, 1)        \
  X(SnapshotClock, timestamp, 2)       \
  X(SnapshotClock, is_incremental, 3)  \
  X(SnapshotClock, unit_multiplier_ns, 4)\
  X(TrackDescriptor, uuid, 1)          \
  X(TrackDescriptor, name, 2)          \
  X(TrackDescriptor, process, 3)       \
  X(TrackDescriptor, thread, 4)        \
  X(TrackDescriptor, parent_uuid, 5)   \
  X(TrackDescriptor, counter, 8)       \
  X(ProcessDescriptor, pid, 1)         \
  X(ProcessDescriptor, process_name, 6)\
  X(ThreadDescriptor, pid, 1)          \
  X(ThreadDescriptor, tid, 2)          \
  X(ThreadDescriptor, thread_name, 5)  \
  X(TrackEvent, category_iids, 3)      \
  X(TrackEvent, type, 9)               \
  X(TrackEvent, name_iid, 10)          \
  X(TrackEvent, track_uuid, 11)        \
  X(TrackEvent, categories, 22)        \
  X(TrackEvent, name, 23)              \
  X(TrackEvent, counter_value, 30)     \
  X(TrackEvent, double_counter_value, 44)\
  X(TrackEvent, flow_ids, 47)          \
  X(TrackEvent, terminating_flow_ids, 48)\
  X(InternedData, event_categories, 1) \
  X(InternedData, event_names, 2)      \
  X(EventCategory, iid, 1)             \
  X(EventCategory, name, 2)            \
  X(EventName, iid, 1)                 \
  X(EventName, name, 2)                \
  X(HloProto, hlo_module, 1)           \
  X(HloModuleProto, name, 1)           \
  X(HloModuleProto, computations, 3)   \
  X(HloModuleProto, entry_computation_id, 6) \
  X(HloModuleProto, stack_frame_index, 17) \
  X(HloComputation, name, 1)           \
  X(HloComputation, instructions, 2)   \
  X(HloComputation, id, 5)             \
  X(HloComputation, root_id, 6)        \
  X(HloInstruction, name, 1)           \
  X(HloInstruction, opcode, 2)         \
  X(HloInstruction, shape, 3)          \
  X(HloInstruction, metadata, 7)       \
  X(HloInstruction, literal, 8)        \
  X(HloInstruction, parameter_number, 9) \
  X(HloInstruction, fusion_kind, 11)   \
  X(HloInstruction, tuple_index, 13)   \
  X(HloInstruction, dimensions, 14)    \
  X(HloInstruction, window, 15)        \
  X(HloInstruction, convolution_dimension_numbers, 16) \
  X(HloInstruction, slice_dimensions, 17) \
  X(HloInstruction, dynamic_slice_sizes, 20) \
  X(HloInstruction, padding_config, 21) \
  X(HloInstruction, channel_id, 26)    \
  X(HloInstruction, custom_call_target, 28) \
  X(HloInstruction, dot_dimension_numbers, 30) \
  X(HloInstruction, gather_slice_sizes, 34) \
  X(HloInstruction, id, 35)            \
  X(HloInstruction, operand_ids, 36)   \
  X(HloInstruction, called_computation_ids, 38) \
  X(HloInstruction, backend_config, 43) \
  X(HloInstruction, replica_groups, 49) \
  X(HloInstruction, feature_group_count, 50) \
  X(HloInstruction, batch_group_count, 58) \
  X(HloInstruction, comparison_direction, 63) \
  X(HloInstruction, collective_device_list, 87) \
  X(HloSlice, start, 1)                \
  X(HloSlice, limit, 2)                \
  X(HloSlice, stride, 3)               \
  X(HloOpMetadata, op_type, 1)         \
  X(HloOpMetadata, op_name, 2)         \
  X(HloOpMetadata, source_file, 3)     \
  X(HloOpMetadata, source_line, 4)     \
  X(HloOpMetadata, stack_frame_id, 15) \
  X(HloShape, element_type, 2)         \
  X(HloShape, dimensions, 3)           \
  X(HloShape, tuple_shapes, 4)         \
  X(HloShape, layout, 5)               \
  X(HloLayout, minor_to_major, 1)      \
  X(HloLayout, tiles, 6)               \
  X(HloLayout, element_size_in_bits, 7) \
  X(HloLayout, memory_space, 8)        \
  X(HloTile, dimensions, 1)            \
  X(HloLiteral, preds, 2)              \
  X(HloLiteral, s32s, 4)               \
  X(HloLiteral, s64s, 5)               \
  X(HloLiteral, u32s, 6)               \
  X(HloLiteral, u64s, 7)               \
  X(HloLiteral, f32s, 8)               \
  X(HloLiteral, f64s, 9)               \
  X(HloWindow, dimensions, 1)          \
  X(HloWindowDimension, size, 1)       \
  X(HloWindowDimension, stride, 2)     \
  X(HloWindowDimension, padding_low, 3) \
  X(HloWindowDimension, padding_high, 4) \
  X(HloWindowDimension, window_dilation, 5) \
  X(HloWindowDimension, base_dilation, 6) \
  X(HloConvolution, kernel_input_feature_dimension, 3) \
  X(HloConvolution, kernel_output_feature_dimension, 4) \
  X(HloConvolution, kernel_spatial_dimensions, 6) \
  X(HloConvolution, input_batch_dimension, 7) \
  X(HloConvolution, input_feature_dimension, 8) \
  X(HloConvolution, output_batch_dimension, 9) \
  X(HloConvolution, output_feature_dimension, 10) \
  X(HloConvolution, input_spatial_dimensions, 11) \
  X(HloConvolution, output_spatial_dimensions, 12) \
  X(HloDot, lhs_contracting_dimensions, 1) \
  X(HloDot, rhs_contracting_dimensions, 2) \
  X(HloDot, lhs_batch_dimensions, 3)   \
  X(HloDot, rhs_batch_dimensions, 4)   \
  X(HloPadding, dimensions, 1)         \
  X(HloPaddingDimension, edge_padding_low, 1) \
  X(HloPaddingDimension, edge_padding_high, 2) \
  X(HloPaddingDimension, interior_padding, 3) \
  X(HloReplicaGroup, replica_ids, 1)   \
  X(HloDeviceList, replica_groups, 1)  \
  X(HloStackFrames, file_names, 1)     \
  X(HloStackFrames, file_locations, 3) \
  X(HloStackFrames, stack_frames, 4)   \
  X(HloFileLocation, file_name_id, 1)  \
  X(HloFileLocation, line, 3)          \
  X(HloStackFrame, file_location_id, 1) \
  X(OnnxModel, graph, 7)               \
  X(OnnxGraph, node, 1)                \
  X(OnnxGraph, name, 2)                \
  X(OnnxGraph, initializer, 5)         \
  X(OnnxGraph, input, 11)              \
  X(OnnxGraph, output, 12)             \
  X(OnnxGraph, value_info, 13)         \
  X(OnnxNode, input, 1)                \
  X(OnnxNode, output, 2)               \
  X(OnnxNode, name, 3)                 \
  X(OnnxNode, op_type, 4)              \
  X(OnnxNode, attribute, 5)            \
  X(OnnxAttribute, name, 1)            \
  X(OnnxAttribute, f, 2)               \
  X(OnnxAttribute, i, 3)               \
  X(OnnxAttribute, s, 4)               \
  X(OnnxAttribute, t, 5)               \
  X(OnnxAttribute, g, 6)               \
  X(OnnxAttribute, floats, 7)          \
  X(OnnxAttribute, ints, 8)            \
  X(OnnxAttribute, strings, 9)         \
  X(OnnxAttribute, tensors, 10)        \
  X(OnnxAttribute, graphs, 11)         \
  X(OnnxAttribute, doc_string, 13)     \
  X(OnnxAttribute, type, 20)           \
  X(OnnxAttribute, ref_attr_name, 21)  \
  X(OnnxValueInfo, name, 1)            \
  X(OnnxValueInfo, type, 2)            \
  X(OnnxType, tensor_type, 1)          \
  X(OnnxTensorType, elem_type, 1)      \
  X(OnnxTensorType, shape, 2)          \
  X(OnnxShape, dim, 1)                 \
  X(OnnxDim, dim_value, 1)             \
  X(OnnxTensor, dims, 1)               \
  X(OnnxTensor, data_type, 2)          \
  X(OnnxTensor, float_data, 4)         \
  X(OnnxTensor, int32_data, 5)         \
  X(OnnxTensor, string_data, 6)        \
  X(OnnxTensor, int64_data, 7)         \
  X(OnnxTensor, name, 8)               \
  X(OnnxTensor, raw_data, 9)           \
  X(OnnxTensor, double_data, 10)       \
  X(OnnxTensor, uint64_data, 11)       \
  X(ProfileRequest, duration_ms, 1)    \
  X(ProfileRequest, max_events, 2)     \
  X(ProfileRequest, tools, 3)          \
  X(ProfileRequest, opts, 4)           \
  X(ProfileRequest, repository_root, 5)\
  X(ProfileRequest, session_id, 6)     \
  X(ProfileRequest, host_name, 7)      \
  X(ProfileRequest, emit_xspace, 9)    \
  X(ProfileOptions, version, 5)        \
  X(ProfileOptions, start_timestamp_ns, 8)\
  X(ProfileResponse, tool_data, 6)     \
  X(ProfileResponse, empty_trace, 7)   \
  X(ProfileResponse, xspace, 8)        \
  X(ProfileToolData, name, 1)          \
  X(ProfileToolData, data, 2)          \
  X(MonitorRequest, duration_ms, 1)    \
  X(MonitorRequest, monitoring_level, 2)\
  X(MonitorRequest, timestamp, 3)      \
  X(MonitorResponse, data, 1)          \
  X(Pprof, sample_type, 1)             \
  X(Pprof, sample, 2)                  \
  X(Pprof, location, 4)                \
  X(Pprof, function, 5)                \
  X(Pprof, string_table, 6)            \
  X(Pprof, time_nanos, 9)              \
  X(PprofValueType, type, 1)           \
  X(PprofValueType, unit, 2)           \
  X(PprofSample, location_id, 1)       \
  X(PprofSample, value, 2)             \
  X(PprofSample, label, 3)             \
  X(PprofLabel, key, 1)                \
  X(PprofLabel, str, 2)                \
  X(PprofLocation, id, 1)              \
  X(PprofLocation, line, 4)            \
  X(PprofLine, function_id, 1)         \
  X(PprofLine, line, 2)                \
  X(PprofFunction, id, 1)              \
  X(PprofFunction, name, 2)            \
  X(PprofFunction, filename, 4)

#define STEPSCOPE_DECLARE_FIELD(message, field, number) \
  namespace message { inline constexpr uint32_t field = number; }
STEPSCOPE_FIELDS(STEPSCOPE_DECLARE_FIELD)
#undef STEPSCOPE_DECLARE_FIELD

enum class DataType : uint32_t {
  invalid = 0, float32 = 1, float64 = 2, int32 = 3, uint8 = 4, int16 = 5, int8 = 6, string = 7, int64 = 9, boolean = 10,
  bfloat16 = 14, uint16 = 17, half = 19, uint32 = 22, uint64 = 23,
  float8_e5m2 = 24, float8_e4m3fn = 25, float8_e4m3fnuz = 26, float8_e4m3b11fnuz = 27, float8_e5m2fnuz = 28,
  int4 = 29, uint4 = 30,
};

enum class SessionStatus : uint32_t { unspecified = 0, start = 1, stop = 2, checkpoint = 3 };

}  // namespace stepscope::wire
// clang-format on
