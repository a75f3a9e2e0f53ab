// The images of depth, as they are.
uniform sampler2DArray images;
out vec4 pixel;
void main() { pixel = texelFetch(images, source(ivec2(gl_FragCoord.xy), textureSize(images, 0)), 0); }
