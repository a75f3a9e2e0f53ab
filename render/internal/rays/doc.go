// Package rays contains what ray-based programs share: single-precision vectors, triangles in trees, and the properties
// of a scene's surfaces where a ray meets them: normals, the patterns of materials, the carpet with its markings, the
// picture on the walls. It computes no light.
//
// A Surface's corners and normals are in the frame in which the caller places them, a body's or the world's. Lengths
// are metres.
//
//	triangles, surfaces := rays.AddMesh(nil, nil, &mesh, poseBP, material, part)
//	tree := rays.NewTree(triangles)
//	tree.First(o, d, inv, near, &hit, nil, surfaces)
package rays
