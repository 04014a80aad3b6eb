// Kernels that go by one short name are told apart by the template arguments in which they differ.

interface Named {
  name: string;
  short: string;
}

const MOST_READ = 2000;
const LONGEST = 40;

/** The template arguments of the outermost name: of `void f<int, g<1, 2>>(…)` these are `int` and `g<1, 2>`. */
export function templateArguments(name: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let round = 0;
  let start = 0;
  const text = name.slice(0, MOST_READ);
  for (let i = 0; i < text.length; i++) {
    const letter = text.charAt(i);
    if (letter === '(') round += 1;
    else if (letter === ')') round -= 1;
    else if (letter === '<' && depth++ === 0) start = i + 1;
    else if (letter === ',' && depth === 1 && round === 0) {
      found.push(text.slice(start, i).trim());
      start = i + 1;
    } else if (letter === '>' && depth > 0 && --depth === 0) {
      found.push(text.slice(start, i).trim());
      break;
    }
    // Parameters begin: there was no template.
    if (depth === 0 && round === 1 && !text.startsWith('(anonymous', i)) break;
  }
  return found;
}

/** `at::native::AddFunctor<float>` is AddFunctor, and a function's lambda goes by the function. */
function plain(argument: string): string {
  const named = argument.replaceAll('(anonymous namespace)::', '').split(/[<({]/, 1)[0] ?? '';
  return named.replace(/::$/, '').split('::').at(-1) ?? '';
}

/** A kernel's name without return type, namespaces, template arguments and parameters; a wrapper goes by what it wraps. */
export function shortKernel(name: string): string {
  // Rows of kernels may go by their operation, whose namespace belongs to it: aten::sum.
  if (!/[<(]/.test(name)) return name;
  const short = plain(name.slice(0, MOST_READ)).split(' ').at(-1) ?? '';
  const inner = /^(device_)?kernel2?$/i.test(short) ? plain(templateArguments(name)[0] ?? '') : short;
  return inner || short || name;
}

function labels(group: readonly string[], write: (argument: string) => string): Map<string, string> {
  const all = group.map(templateArguments);
  const places = Array.from({ length: Math.max(0, ...all.map(({ length }) => length)) }, (_, place) => place).filter(
    (place) => new Set(all.map((one) => write(one[place] ?? ''))).size > 1,
  );
  return new Map(
    group.map((name, i) => {
      const differing = places.map((place) => write(all[i]?.[place] ?? '')).join(',');
      return [name, differing.length > LONGEST ? `${differing.slice(0, LONGEST - 1)}…` : differing];
    }),
  );
}

/** The rows, with what differs behind a short name that several kernels share. */
export function tellApart<Row extends Named>(rows: readonly Row[]): Row[] {
  const groups = new Map<string, Set<string>>();
  for (const { name, short } of rows) groups.set(short, (groups.get(short) ?? new Set()).add(name));
  const said = new Map<string, string>();
  for (const names of groups.values()) {
    if (names.size < 2) continue;
    const group = [...names];
    let found = labels(group, plain);
    if (new Set(found.values()).size < group.length) found = labels(group, (argument) => argument);
    for (const [name, text] of found) if (text !== '') said.set(name, text);
  }
  return rows.map((row) => {
    const differing = said.get(row.name);
    return differing === undefined ? row : { ...row, short: `${row.short}<${differing}>` };
  });
}
