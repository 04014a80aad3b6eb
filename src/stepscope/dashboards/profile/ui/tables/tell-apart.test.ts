// Kernels of one short name show the template arguments in which they differ, and nothing else changes.
import { expect, it } from 'vitest';
import { shortKernel, tellApart, templateArguments } from './tell-apart';

const shorts = (short: string, ...names: string[]): string[] =>
  tellApart(names.map((name) => ({ name, short }))).map((row) => row.short);

it('shows the numbers that differ', () => {
  expect(
    shorts(
      'conv',
      'void conv<float, float, 1024, 6, 7, 3, true>(int, float const*)',
      'void conv<float, float, 128, 6, 8, 3, true>(int, float const*)',
    ),
  ).toEqual(['conv<1024,7>', 'conv<128,8>']);
});

it('calls functors and lambdas by their plain names', () => {
  expect(
    shorts(
      'each',
      'void at::each<4, at::native::AddFunctor<float>, at::Array<char*, 3> >(int)',
      'void at::each<4, at::native::(anonymous namespace)::clamp_impl(at::Iterator&, c10::Scalar)::{lambda()#1}, at::Array<char*, 3> >(int)',
    ),
  ).toEqual(['each<AddFunctor>', 'each<clamp_impl>']);
});

it('writes an argument whole where its plain name is the same', () => {
  expect(shorts('each', 'void each<Add<float>>(int)', 'void each<Add<long>>(int)')).toEqual([
    'each<Add<float>>',
    'each<Add<long>>',
  ]);
});

it('leaves names that are alone, the same or no templates', () => {
  expect(shorts('gemm', 'gemm', 'gemm')).toEqual(['gemm', 'gemm']);
  expect(shorts('gemm', 'a::gemm', 'b::gemm')).toEqual(['gemm', 'gemm']);
  expect(shorts('f', 'void f<1>(int)')).toEqual(['f']);
});

it('reads no parameters for template arguments, and nothing endless', () => {
  expect(templateArguments('void f(g<int, 3>)')).toEqual([]);
  expect(templateArguments(`f<${'a<'.repeat(100_000)}`)).toEqual([]);
});

it('shortens the name of a kernel', () => {
  expect(shortKernel('void cudnn::cnn::wgrad_engine<float, 128>(int, float const*)')).toBe('wgrad_engine');
  expect(shortKernel('at::cuda::(anonymous namespace)::spin_kernel(long)')).toBe('spin_kernel');
  expect(shortKernel('void cutlass::Kernel<cutlass_80_gemm>(Params)')).toBe('cutlass_80_gemm');
  expect(shortKernel('aten::sum')).toBe('aten::sum');
  expect(shortKernel('volta_sgemm_128x64_nn')).toBe('volta_sgemm_128x64_nn');
  expect(shortKernel('<>')).toBe('<>');
});
