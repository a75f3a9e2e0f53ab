// A triangle that covers a layer, for each image.
flat out int image, layer;

void main() {
	image = gl_InstanceID;
	gl_Layer = layer = LAYER;
	gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
