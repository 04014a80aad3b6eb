// Containers of JSON, Python and YAML are read alike, and what is none stays a text.
import { describe, expect, it } from 'vitest';
import { leavesOfLiteral, leavesOfText } from './nested';

const asText = (leaves: [string[], string][] | null): string[] | null =>
  leaves === null ? null : leaves.map(([path, text]) => `${path.join('.')}=${text}`);

const TREE = ['optimizer.name=adam', 'optimizer.betas.[0]=0.9', 'optimizer.betas.[1]=0.999', 'epochs=20', 'amp=true'];

describe('literals', () => {
  it('of JSON', () => {
    const text = '{"optimizer": {"name": "adam", "betas": [0.9, 0.999]}, "epochs": 20, "amp": true}';
    expect(asText(leavesOfLiteral(text))).toEqual(TREE);
  });

  it('of Python, with tuples, single quotes and a comma at the end', () => {
    const text = "{'optimizer': {'name': 'adam', 'betas': (0.9, 0.999,)}, 'epochs': 20, 'amp': True, 'seed': None}";
    expect(asText(leavesOfLiteral(text))).toEqual([...TREE.slice(0, 4), 'amp=True', 'seed=None']);
  });

  it('keeps empty containers and text with its marks', () => {
    expect(asText(leavesOfLiteral('{"a": {}, "b": [], "c": "x: {1}", "d": "say \\"no\\"", "e": -1.5e-3}'))).toEqual([
      'a={}',
      'b=[]',
      'c=x: {1}',
      'd=say "no"',
      'e=-1.5e-3',
    ]);
  });

  it.each([
    '',
    'adam',
    '{',
    '{"a": }',
    '{"a": 1} x',
    '[1, 2',
    '<object at 0x7f>',
    '{"a": Adam(lr=1)}',
    '['.repeat(200),
  ])('is none: %s', (text) => expect(leavesOfLiteral(text)).toBeNull());
});

describe('texts', () => {
  const yaml = [
    '# a run',
    'optimizer:',
    '  name: adam   # usual',
    '  betas: [0.9, 0.999]',
    'epochs: 20',
    'amp: true',
  ].join('\n');

  it('of YAML, fenced, indented or as they are', () => {
    for (const text of [yaml, `\`\`\`yaml\n${yaml}\n\`\`\``, yaml.replace(/^/gm, '    '), `<pre>${yaml}</pre>`])
      expect(asText(leavesOfText(text))).toEqual(TREE);
  });

  it('of words in lists and maps of YAML', () => {
    expect(asText(leavesOfText('augment: [flip, random crop, 3]\nshape: {height: 32, width: 1e2}'))).toEqual([
      'augment.[0]=flip',
      'augment.[1]=random crop',
      'augment.[2]=3',
      'shape.height=32',
      'shape.width=1e2',
    ]);
  });

  it('of lists in YAML, of maps too, and as deep as their key', () => {
    const text = 'layers:\n- kind: conv\n  size: 3\n- kind: dense\nsteps:\n  - 1\n  - 2\nname: "x"';
    expect(asText(leavesOfText(text))).toEqual([
      'layers.[0].kind=conv',
      'layers.[0].size=3',
      'layers.[1].kind=dense',
      'steps.[0]=1',
      'steps.[1]=2',
      'name=x',
    ]);
  });

  it.each([
    'one line',
    'a: 1',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    'It works.\nIt is fast.',
    '# Title\n\nText: here.\nMore text',
  ])('are none: %j', (text) => expect(leavesOfText(text)).toBeNull());
});
