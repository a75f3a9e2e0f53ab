package render

// Group is a body with its own meshes and materials that can be added to a Scene.
type Group struct {
	Meshes    []Mesh
	Materials []Material
	Parts     []Part // with indices into the Group
}

// Add adds the body of a Group to the scene and returns its index.
func (s *Scene) Add(name string, g *Group) int {
	meshes, materials := len(s.Meshes), len(s.Materials)
	s.Meshes, s.Materials = append(s.Meshes, g.Meshes...), append(s.Materials, g.Materials...)
	b := Body{Name: name}
	for _, p := range g.Parts {
		p.Mesh, p.Material = p.Mesh+meshes, p.Material+materials
		b.Parts = append(b.Parts, p)
	}
	s.Bodies = append(s.Bodies, b)
	return len(s.Bodies) - 1
}
