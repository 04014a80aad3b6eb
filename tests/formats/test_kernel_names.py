"""Names of real kernels, from Volta to Blackwell and of AMD's, and what they tell."""

from __future__ import annotations

import pytest

from stepscope.formats.kernel_names import could_use_matrix_units, family_of, number_format, short_name, uses_matrix_units

# How it is known: cuBLAS and cuDNN write the instruction's shape into the name (884, 1688, 16816), nvjet is cuBLAS's family for Hopper
# and Blackwell and uses nothing else, xdl and MI in AMD's names are matrix instructions, sgemm without them is plain arithmetic.
NAMES = [
    ("volta_sgemm_64x64_nt", "matmul", False),
    ("volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", "matmul", True),
    ("turing_h1688gemm_128x128_ldg8_stages_32x1_nn", "matmul", True),
    ("ampere_sgemm_128x64_nn", "matmul", False),
    ("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x3_tn", "matmul", True),
    (
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(s1688gemm::Params)",
        "matmul",
        True,
    ),
    ("void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(cutlass_80_simt_sgemm::Params)", "matmul", False),
    ("sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128x128x16", "convolution", True),
    ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute", "matmul", True),
    ("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTT", "matmul", True),
    ("nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "matmul", True),
    ("bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_cga1x1x1", "matmul", True),
    ("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext", "attention", True),
    ("void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4>, false>(Params)", "attention", True),
    ("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN_LDSB1", "matmul", True),
    ("Cijk_Ailk_Bljk_SB_MT64x64x8_SE_1LDSB0", "matmul", False),
    ("igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2", "convolution", True),
    ("_ZN2ck16tensor_operation6device37kernel_batched_gemm_xdlops_bwd_weightINS_47GridwiseGemm", "matmul", True),
    ("gemm_fusion_dot_12", "matmul", True),
    ("void gemv2T_kernel_val<int, int, float, 128>(cublasGemvParams<float>)", "matmul", False),
    ("void splitKreduce_kernel<float, float, true>(cublasSplitKParams<float>, float const*)", "matmul", False),
    ("volta_scudnn_128x128_stridedB_splitK_small_nn_v1", "convolution", False),
    ("void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5, 1>(int, int)", "convolution", False),
    ("attn_fwd", "attention", None),
    ("void fbgemm_gpu::permute_indices_weights_kernel<false, int>(int, int)", "embedding", False),
    ("SubTensorOpWithScalar1d", "elementwise", False),
    ("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>(void*)", "layout", False),
    ("void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)", "elementwise", False),
    ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "communication", False),
    ("void multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)", "communication", False),
    ("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float>(cudnnTensorStruct)", "normalization", False),
    ("ampere_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f", "convolution", True),
    ("void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>(Params)", "matmul", True),
    ("sm80_xmma_dgrad_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_g1_tensor16x8x8_execute", "convolution", True),
    ("cudnn_infer_volta_scudnn_128x128_relu_medium_nn_v1", "convolution", False),
    ("ampere_gcgemm_64x64_nt", "matmul", False),
    ("Cijk_Ailk_Bjlk_SB_Bias_AS_SAV_UserArgs_MT64x16x16_MI16x16x1_SN_LDSB0", "matmul", True),
    ("igemm_bwd_gtcx2_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_ta1x8x2x1_mh_gkgs", "convolution", True),
    # Products whose names tell nothing of the instruction.
    ("void conv2d_c1_k1_nchw_hw_packed_kernel<float, float, 3>(float const*)", "convolution", None),
    ("void dgrad_1x1_stride_2x2<float>(float*)", "convolution", None),
    # No shape of an instruction: tiles, sizes and other numbers.
    ("gemm_tiles1688x128", "matmul", None),
    ("my_gemm_v884", "matmul", None),
    ("some_kernel_of_mine", "other", False),
]


@pytest.mark.parametrize(("name", "family", "matrix"), NAMES, ids=[name[:40] for name, _, _ in NAMES])
def test_family_and_matrix_units(name: str, family: str, matrix: bool | None) -> None:
    assert (family_of(name), uses_matrix_units(name)) == (family, matrix)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("void at::native::vectorized_elementwise_kernel<4, at::native::Add<float> >(int)", "vectorized_elementwise_kernel"),
        ("void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_64x64>(Params)", "cutlass_80_tensorop_s1688gemm_64x64"),
        ("void at::native::(anonymous namespace)::indexSelectLargeIndex<float, long>(int)", "indexSelectLargeIndex"),
        ("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int>(cublasGemvParams<int>)", "kernel"),
        ("cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)", "computeOffsetsKernel"),
        ("_ZN2ck16tensor_operation6device12_GLOBAL__N_116kernel_conv_fwdxINS_28GridwiseGemm", "kernel_conv_fwdx"),
        ("volta_sgemm_64x64_nt", "volta_sgemm_64x64_nt"),
        ("loop_add_fusion.3", "loop_add_fusion.3"),
        ("<unfinished", "<unfinished"),
        ("_ZN999broken", "broken"),
        ("", ""),
    ],
)  # fmt: skip
def test_short_names(name: str, short: str) -> None:
    assert short_name(name) == short


@pytest.mark.parametrize(
    ("op", "eligible"),
    [
        ("aten::convolution_backward", True), ("aten::addmm", True), ("model/dense/MatMul", True), ("aten::bmm", True),
        ("jit(step)/dot_general", True), ("aten::scaled_dot_product_attention", True), ("dot.3", True), ("aten::_scaled_mm", True),
        ("aten::add_", False), ("aten::convert", False), ("aten::summon", False), ("gradient_tape/Sum", False), ("", False),
    ],
)  # fmt: skip
def test_operations_that_matrix_units_are_made_for(op: str, eligible: bool) -> None:
    assert could_use_matrix_units(op, "kernel") is eligible


def test_a_kernel_on_matrix_units_is_eligible_whatever_its_operation() -> None:
    assert could_use_matrix_units("custom::thing", "nvjet_tst_64x64")


@pytest.mark.parametrize(
    ("kernel", "found"),
    [
        ("volta_sgemm_64x64_nt", "fp32"),
        ("volta_fp16_s884gemm_fp16_128x128", "fp16"),
        ("cutlass_80_tensorop_s1688gemm_64x64_32x4_nn_align1", "tf32"),
        ("ampere_bf16_s16816gemm_bf16_128x64", "fp16"),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", "fp16"),
        ("nvjet_tst_64x64_64x16", "fp16"),
        ("bmm_MxE4m3_MxE4m3_Fp32", "fp8"),
        ("bmm_MxE4m3_MxE2m1MxE4m3_Fp32", "fp4"),
        ("Cijk_Alik_Bljk_BBS_BH_Bias_HA", "fp16"),
        ("Cijk_Ailk_Bljk_SB_MT64x64x8", "fp32"),
        ("some_kernel", None),
    ],
)
def test_number_formats(kernel: str, found: str | None) -> None:
    assert number_format(kernel) == found
