// The small texts inside stats: how a kernel was launched, what a copy moved, which device an allocator serves, names of types.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/span_builder.hpp"

namespace stepscope::profile::xspace {

// "regs:128 static_shared:0 dynamic_shared:49152 grid:64,2,1 block:256,1,1 occ_pct:25", and ROCm's form of it.
KernelFacts parse_kernel(std::string_view details);

// "kind_src:pinned kind_dst:device size:1048576 dest:0 async:1"; fills what the text tells.
void parse_copy(std::string_view details, CopyFacts& facts);

// The accelerator's number in names such as "GPU_0_bfc", kNone for host memory.
int32_t allocator_ordinal(std::string_view allocator);

// TensorFlow's name of a number of its DataType, empty for an invalid one.
std::string_view type_name(uint64_t number);

// The number a name ends in ("Profiled batch 7", "12"); false when it ends in none.
bool trailing_number(std::string_view name, int64_t& number);

// The name scope: everything before the last "/".
std::string_view scope_of(std::string_view name);

}  // namespace stepscope::profile::xspace
