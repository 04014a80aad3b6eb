// Slashes make a pattern of what is typed; a slash inside a name does not.
import { expect, test } from 'vitest';
import { searchOf } from './search-text';

test('text is searched for as it is', () => {
  expect(searchOf(' gemm ')).toEqual({ text: 'gemm', regex: false });
  expect(searchOf('model/layer')).toEqual({ text: 'model/layer', regex: false });
  expect(searchOf('//')).toEqual({ text: '//', regex: false });
});

test('slashes make a pattern', () => {
  expect(searchOf('/gemm|conv/')).toEqual({ text: 'gemm|conv', regex: true });
});
