// A sheet holds images of the same size below each other, as they are read. They come from the layers of a texture.
ivec3 source(ivec2 at, ivec3 size) { return ivec3(at.x, at.y % size.y, at.y / size.y); }
