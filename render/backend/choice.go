package backend

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
)

// backends are the ways to draw.
var backends = []Choice{
	{Name: "opengl", New: OpenGL},
	{Name: "tile", New: Tile},
	{Name: "raycast", New: RayCaster},
	{Name: Reference, New: PathTracer(render.Tracing{})},
}

// withoutCard is the backend that draws fastest on a machine without a graphics card.
const withoutCard = "tile"

// Auto asks for the backend that draws fastest on this machine.
const Auto = "auto"

// Choice is what draws a scene, and in words why.
type Choice struct {
	Name string `json:"name"` // one of Names but Auto
	Why  string `json:"why"`
	// New makes a renderer. The error is in the chain of render.ErrNoContext when the machine lacks a driver.
	New func(*render.Scene) (render.Renderer, error) `json:"-"`
}

func (c Choice) String() string { return c.Name + ", since " + c.Why }

// Names returns what Choose can be asked for.
func Names() []string {
	names := []string{Auto}
	for _, b := range backends {
		names = append(names, b.Name)
	}
	return names
}

// Plain returns the names of those that draw plain light, which are fast.
func Plain() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return name == Auto || name == Reference })
}

// Check refuses what is none of Names; empty is Auto.
func Check(asked string) error {
	if asked != "" && !slices.Contains(Names(), asked) {
		return fmt.Errorf("renderer = %q: must be one of %s", asked, strings.Join(Names(), ", "))
	}
	return nil
}

// Choose returns what is asked for, which Check accepts, for a scene, or with nil for any without cube maps. Auto finds
// out, once a process, whether OpenGL has a graphics card, and never fails.
func Choose(asked string, scene *render.Scene) Choice {
	if i := slices.IndexFunc(backends, func(b Choice) bool { return b.Name == asked }); i >= 0 {
		c := backends[i]
		c.Why = "it was asked for"
		return c
	}
	if scene != nil && scene.CubeMaps {
		c := Choose("opengl", scene)
		c.Why = "a camera has mirror.method = \"cube\""
		return c
	}
	name := withoutCard
	card, why := gl.GraphicsCard()
	if card {
		name = "opengl"
	}
	c := Choose(name, scene)
	c.Why = why
	return c
}

// Machine says what a backend draws with on this machine, where images differ from one to another.
func Machine(name string) string {
	switch name {
	case "opengl":
		_, driver := gl.GraphicsCard()
		return name + " (" + driver + ")"
	case "tile":
		if vectors, err := Instructions(); err == nil {
			return name + " (" + vectors + ")"
		}
	}
	return name + " (" + runtime.GOARCH + ")"
}
