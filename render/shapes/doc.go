// Package shapes makes meshes of solids: boxes, prisms, solids of revolution, spheres, tubes. Every mesh is closed, and
// its triangles are anticlockwise as seen from outside. Normals have unit length, point outwards, and are shared where
// the surface is round. The package renders nothing. Lengths are in metres; each function states the mesh's frame.
//
//	wheel := shapes.Cylinder(0.06, 0.04, 24)
//	hull := shapes.Prism(shapes.Polygon(8, 0.25), 0, 0.3, 0.02)
package shapes
