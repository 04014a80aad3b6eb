// Which spans are listed comes back from the address, and what asks for nothing lists none.
import { describe, expect, it } from 'vitest';
import { ofEvidence, ofName, readAsked, writeAsked, type Asked } from './asked';

const KERNEL: Asked = {
  worker: 'host0&rank=1',
  like: null,
  of: 'kernel',
  by: 'launch',
  name: 'void gemm<1, 2>(float*) + 100%',
  calls: false,
  device: 'GPU 0',
  op: 'aten::mm',
  memory: '',
  stream: 7,
  group: '',
  bytes: 0,
};

describe('which spans are listed', () => {
  it('comes back from the address as it was', () => {
    expect(readAsked(writeAsked(KERNEL))).toEqual(KERNEL);
  });

  it('asks for a span or a name, else for nothing', () => {
    expect(readAsked('')).toBeNull();
    expect(readAsked('of=kernel')).toBeNull();
    expect(readAsked('like=-3')).toBeNull();
    expect(readAsked(writeAsked(ofEvidence(12, 'w')))).toMatchObject({ like: 12, worker: 'w' });
    expect(readAsked(writeAsked(ofName('fit', 'w')))).toMatchObject({ of: 'span', name: 'fit', like: null });
  });

  it('takes an unknown table for all spans of the name', () => {
    expect(readAsked('of=colour&name=fit')).toMatchObject({ of: 'span', name: 'fit' });
  });
});
