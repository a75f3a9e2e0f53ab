package backend_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/render/backend"
)

// A requested backend is used; auto chooses a backend and gives a reason.
func TestChoose(t *testing.T) {
	names := backend.Names()
	if names[0] != backend.Auto || !slices.Contains(names, "opengl") || !slices.Contains(names, "raycast") {
		t.Fatalf("names = %v", names)
	}
	for _, asked := range append(names, "") {
		if err := backend.Check(asked); err != nil {
			t.Errorf("%q: %v", asked, err)
		}
		c := backend.Choose(asked, nil)
		auto := asked == "" || asked == backend.Auto
		if c.New == nil || c.Why == "" || !slices.Contains(names[1:], c.Name) || !auto && c.Name != asked {
			t.Errorf("%q: chose %v", asked, c)
		}
		if again := backend.Choose(asked, nil); again.String() != c.String() {
			t.Errorf("%q: chose %v and then %v", asked, c, again)
		}
	}
	if c := backend.Choose(backend.Auto, &render.Scene{CubeMaps: true}); c.Name != "opengl" ||
		!strings.Contains(c.Why, "cube") {
		t.Errorf("cube maps: chose %v", c)
	}
	if err := backend.Check("mesa"); err == nil || !strings.Contains(err.Error(),
		`renderer = "mesa": must be one of auto, opengl, `) {
		t.Errorf("mesa: %v", err)
	}
}
