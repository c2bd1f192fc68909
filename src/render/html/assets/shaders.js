// What the graphics card does.

const BODY_SHADER = [`#version 300 es
layout(location = 0) in vec3 point;
layout(location = 1) in vec3 normal;
uniform mat4 model, camera;
out vec3 place, facing;
void main() {
  vec4 world = model * vec4(point, 1.0);
  place = world.xyz;
  facing = mat3(model) * normal;
  gl_Position = camera * world;
}`, `#version 300 es
precision highp float;
in vec3 place, facing;
uniform vec3 eye, tint;
uniform float alpha, shade;
out vec4 color;
void main() {
  if (shade == 0.0) { color = vec4(tint, alpha); return; }
  vec3 toEye = normalize(eye - place);
  vec3 n = normalize(facing);
  if (dot(n, toEye) < 0.0) n = -n;
  float sky = 0.5 + 0.5 * n.z;
  float key = max(dot(n, normalize(vec3(0.45, -0.6, 0.85))), 0.0);
  float head = max(dot(n, toEye), 0.0);
  vec3 light = vec3(0.36, 0.38, 0.42) + sky * vec3(0.22, 0.23, 0.25) + key * vec3(0.36, 0.34, 0.31) + head * 0.12;
  float shine = pow(max(dot(reflect(-toEye, n), normalize(vec3(0.45, -0.6, 0.85))), 0.0), 24.0);
  color = vec4(tint * light + shine * 0.10, alpha);
}`];

const BALL_SHADER = [`#version 300 es
layout(location = 0) in vec3 point;
layout(location = 2) in vec4 ball;
uniform mat4 model, camera;
out vec3 place, facing;
void main() {
  vec4 world = model * vec4(ball.xyz + ball.w * point, 1.0);
  place = world.xyz;
  facing = mat3(model) * point;
  gl_Position = camera * world;
}`, `#version 300 es
precision highp float;
in vec3 place, facing;
uniform vec3 eye, tint;
out vec4 color;
void main() {
  float rim = 1.0 - abs(dot(normalize(facing), normalize(eye - place)));
  color = vec4(tint, 0.05 + 0.55 * rim * rim * rim);
}`];

const PATH_SHADER = [`#version 300 es
layout(location = 0) in vec2 side;
layout(location = 1) in vec4 from;
layout(location = 2) in vec4 to;
uniform mat4 camera;
uniform vec2 size;
uniform float width;
out float time;
void main() {
  vec4 a = camera * vec4(from.xyz, 1.0), b = camera * vec4(to.xyz, 1.0);
  vec2 along = (b.xy / b.w - a.xy / a.w) * size;
  vec2 across = length(along) > 1e-6 ? normalize(vec2(-along.y, along.x)) : vec2(0.0);
  gl_Position = side.x < 0.5 ? a : b;
  gl_Position.xy += across * side.y * width / size * gl_Position.w;
  gl_Position.z -= 2e-4 * gl_Position.w;
  time = mix(from.w, to.w, side.x);
}`, `#version 300 es
precision highp float;
in float time;
uniform float now;
uniform vec3 tint;
out vec4 color;
void main() { color = vec4(tint, time <= now ? 0.95 : 0.3); }`];

const FLOOR_SHADER = [`#version 300 es
layout(location = 0) in vec2 corner;
uniform mat4 camera;
uniform vec3 middle;
uniform float reach;
out vec2 place, away;
void main() {
  away = corner;
  place = middle.xy + corner * reach;
  gl_Position = camera * vec4(place, middle.z, 1.0);
}`, `#version 300 es
precision highp float;
in vec2 place, away;
uniform vec3 tint;
uniform float cell;
out vec4 color;
float lines(float size) {
  vec2 at = place / size, width = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / max(width, vec2(1e-6));
  return (1.0 - min(min(near.x, near.y), 1.0)) * clamp(0.35 / max(width.x, width.y), 0.0, 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(away));
  color = vec4(tint, fade * max(0.22 * lines(cell), 0.5 * lines(10.0 * cell)));
}`];
