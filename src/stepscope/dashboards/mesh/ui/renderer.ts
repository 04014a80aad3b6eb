// Draws meshes with one WebGL context for all tiles, since browsers give a page only a few; each picture is copied to its own canvas.
import type { Mesh } from './answers';
import { DEFAULT_FOV, extentOf, matrixOf, type Extent, type Viewpoint } from './viewpoint';

const VERTEX_SHADER = `#version 300 es
in vec3 place;
in vec3 colour;
uniform mat4 matrix;
uniform vec3 middle;
uniform float reach;
uniform float size;
out vec3 seen;
out vec3 around;
void main() {
  gl_Position = matrix * vec4(place, 1.0);
  gl_PointSize = size;
  seen = colour;
  around = (place - middle) / reach;
}`;
const FRAGMENT_SHADER = `#version 300 es
precision highp float;
in vec3 seen;
in vec3 around;
uniform bool solid;
out vec4 painted;
void main() {
  float light = 1.0;
  if (solid) {
    vec3 normal = normalize(cross(dFdx(around), dFdy(around)));
    light = 0.45 + 0.55 * abs(dot(normal, normalize(vec3(0.4, 0.8, 0.6))));
  }
  painted = vec4(seen * light, 1.0);
}`;

interface Uploaded {
  array: WebGLVertexArrayObject;
  buffers: WebGLBuffer[];
  extent: Extent;
  /** Of the corners of faces, or of the ends of their edges. */
  indices: number;
}

export class MeshRenderer {
  private readonly canvas = document.createElement('canvas');
  private readonly gl: WebGL2RenderingContext | null;
  private readonly program: WebGLProgram | null;
  private kept: { mesh: Mesh; uploaded: Uploaded }[] = [];

  constructor() {
    this.gl = this.canvas.getContext('webgl2', { antialias: true, preserveDrawingBuffer: true });
    this.program = this.gl === null ? null : link(this.gl);
  }

  get works(): boolean {
    return this.program !== null;
  }

  /** Draws into the canvas; `plain` is the colour of what has none. */
  draw(mesh: Mesh, view: Viewpoint, into: HTMLCanvasElement, plain: readonly [number, number, number]): void {
    const { gl, program } = this;
    const pen = into.getContext('2d');
    if (gl === null || program === null || pen === null || into.width === 0) return;
    if (this.canvas.width < into.width) this.canvas.width = into.width;
    if (this.canvas.height < into.height) this.canvas.height = into.height;
    const { array, extent, indices } = this.uploaded(gl, program, mesh);
    gl.viewport(0, 0, into.width, into.height);
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(0, 0, into.width, into.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(program);
    gl.bindVertexArray(array);
    const place = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(program, name);
    const matrix = matrixOf(
      view,
      extent,
      mesh.orthographic ? 'orthographic' : (mesh.fov ?? DEFAULT_FOV),
      into.width / into.height,
    );
    gl.uniformMatrix4fv(place('matrix'), false, matrix);
    gl.uniform3fv(place('middle'), extent.middle);
    gl.uniform1f(place('reach'), extent.reach);
    gl.uniform1f(place('size'), pointPixels(mesh, window.devicePixelRatio || 1));
    gl.uniform1i(place('solid'), mesh.faces.length > 0 && mesh.lit && !mesh.wireframe ? 1 : 0);
    const [red, green, blue] = mesh.colour?.map((part) => part / 255) ?? plain;
    if (mesh.colours.length === 0) gl.vertexAttrib3f(1, red ?? 0, green ?? 0, blue ?? 0);
    if (mesh.faces.length > 0) gl.drawElements(mesh.wireframe ? gl.LINES : gl.TRIANGLES, indices, gl.UNSIGNED_INT, 0);
    else gl.drawArrays(gl.POINTS, 0, mesh.vertices.length / 3);
    pen.clearRect(0, 0, into.width, into.height);
    const bottom = this.canvas.height - into.height;
    pen.drawImage(this.canvas, 0, bottom, into.width, into.height, 0, 0, into.width, into.height);
  }

  private uploaded(gl: WebGL2RenderingContext, program: WebGLProgram, mesh: Mesh): Uploaded {
    const known = this.kept.find((one) => one.mesh === mesh);
    if (known !== undefined) return known.uploaded;
    const uploaded = upload(gl, program, mesh);
    this.kept.push({ mesh, uploaded });
    return uploaded;
  }

  /** Frees what the graphics card holds of a mesh that is shown no more. */
  forget(mesh: Mesh | null): void {
    const gone = this.kept.find((one) => one.mesh === mesh);
    if (gone === undefined || this.gl === null) return;
    this.kept = this.kept.filter((one) => one !== gone);
    this.gl.deleteVertexArray(gone.uploaded.array);
    for (const buffer of gone.uploaded.buffers) this.gl.deleteBuffer(buffer);
  }
}

/** A log's size is in units of three.js, where 1 is about a third of the picture; without one, fewer points are larger. */
function pointPixels({ point_size: pointSize, vertices }: Mesh, ratio: number): number {
  if (pointSize !== null) return Math.min(32, Math.max(1, pointSize * 100)) * ratio;
  const count = vertices.length / 3;
  return (count > 100_000 ? 1 : count > 5_000 ? 2 : 4) * ratio;
}

/** The three edges of every face. */
function edgesOf(faces: Int32Array): Int32Array {
  const edges = new Int32Array(faces.length * 2);
  for (let face = 0; face < faces.length; face += 3) {
    for (let side = 0; side < 3; side++) {
      edges[2 * (face + side)] = faces[face + side] ?? 0;
      edges[2 * (face + side) + 1] = faces[face + ((side + 1) % 3)] ?? 0;
    }
  }
  return edges;
}

function link(gl: WebGL2RenderingContext): WebGLProgram | null {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, VERTEX_SHADER],
    [gl.FRAGMENT_SHADER, FRAGMENT_SHADER],
  ] as const) {
    const shader = gl.createShader(kind);
    if (shader === null) return null;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.bindAttribLocation(program, 0, 'place');
  gl.bindAttribLocation(program, 1, 'colour');
  gl.linkProgram(program);
  return gl.getProgramParameter(program, gl.LINK_STATUS) === true ? program : null;
}

function upload(gl: WebGL2RenderingContext, program: WebGLProgram, mesh: Mesh): Uploaded {
  gl.useProgram(program);
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  const buffers: WebGLBuffer[] = [];
  const fill = (target: number, data: Float32Array | Int32Array | Uint8Array): void => {
    const buffer = gl.createBuffer();
    buffers.push(buffer);
    gl.bindBuffer(target, buffer);
    gl.bufferData(target, data, gl.STATIC_DRAW);
  };
  fill(gl.ARRAY_BUFFER, mesh.vertices);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
  if (mesh.colours.length > 0) {
    fill(gl.ARRAY_BUFFER, mesh.colours);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.UNSIGNED_BYTE, true, 0, 0);
  }
  const corners = mesh.wireframe ? edgesOf(mesh.faces) : mesh.faces;
  if (corners.length > 0) fill(gl.ELEMENT_ARRAY_BUFFER, corners);
  return { array, buffers, extent: extentOf(mesh.vertices), indices: corners.length };
}

let made: MeshRenderer | null = null;
export const renderer = (): MeshRenderer => (made ??= new MeshRenderer());
