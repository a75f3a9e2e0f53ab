flat in float metal;
out vec4 pixel;
void main() { pixel = vec4(mix(vec3(0.0025), 0.10 * sky.rgb + 0.02 * lamp.rgb, metal), 1.0); }
