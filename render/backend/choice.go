package backend

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/internal/gl"
)

// backends lists all backends.
var backends = []Choice{
	{Name: "opengl", New: OpenGL},
	{Name: "tile", New: Tile},
	{Name: "raycast", New: RayCaster},
	{Name: Reference, New: PathTracer(render.Tracing{})},
}

// withoutCard is the fastest backend on a machine without a graphics card.
const withoutCard = "tile"

// Auto asks for the fastest backend on this machine.
const Auto = "auto"

// Choice is a backend and the reason why it was chosen.
type Choice struct {
	Name string `json:"name"` // one of Names, except Auto
	Why  string `json:"why"`
	// New makes a renderer. The error is in the chain of render.ErrNoContext when the machine lacks a driver.
	New func(*render.Scene) (render.Renderer, error) `json:"-"`
}

func (c Choice) String() string { return c.Name + ", since " + c.Why }

// Names returns the names that Choose accepts.
func Names() []string {
	names := []string{Auto}
	for _, b := range backends {
		names = append(names, b.Name)
	}
	return names
}

// Plain returns the names of the backends that render plain light, which is fast.
func Plain() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return name == Auto || name == Reference })
}

// Check returns an error unless the name asked is one of Names or empty, which means Auto.
func Check(asked string) error {
	if asked != "" && !slices.Contains(Names(), asked) {
		return fmt.Errorf("renderer = %q: must be one of %s", asked, strings.Join(Names(), ", "))
	}
	return nil
}

// Choose returns the backend for a scene by the name asked, which must pass Check. scene may be nil if no image is made
// from a cube map. Auto finds out once per process whether OpenGL has a graphics card, and never fails.
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

// Machine describes what a backend runs on, as far as images depend on it: the OpenGL driver, the instruction set, or
// the architecture.
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
