in float z;
out float pixel;
void main() { pixel = z; }
