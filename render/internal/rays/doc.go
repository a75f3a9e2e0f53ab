// Package rays has what programs that follow rays share: vectors in single precision, triangles in trees, and what a
// scene's surfaces are like where a ray meets them: normals, the patterns of materials, carpet with its markings, the
// picture on the walls. It computes no light.
//
// A Surface's corners and normals are in the frame of its body or of the world, as the one who places them wants;
// lengths are metres.
//
//	triangles, surfaces := rays.AddMesh(nil, nil, &mesh, poseBP, material, part)
//	tree := rays.NewTree(triangles)
//	tree.First(o, d, inv, near, &hit, nil, surfaces)
package rays
