// Package shapes makes meshes of solids: boxes, prisms, solids of revolution, spheres, tubes. Every mesh is closed,
// its triangles run anticlockwise seen from outside, its normals have unit length, point outwards, and are shared
// where the surface is round. It draws nothing. Lengths are metres, the mesh's frame is stated with each function.
//
//	wheel := shapes.Cylinder(0.06, 0.04, 24)
//	hull := shapes.Prism(shapes.Polygon(8, 0.25), 0, 0.3, 0.02)
package shapes
