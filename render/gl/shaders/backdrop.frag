in vec3 radiance;
out vec4 pixel;
void main() { pixel = vec4(radiance * vignette(gl_FragCoord.xy), 1.0); }
