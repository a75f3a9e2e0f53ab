package scenery

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds"
)

// The table of docs/cameras.md lists all materials as they are rendered, with the sources of their numbers.
func TestMatterIsAsDocumented(t *testing.T) {
	text := must.Get(os.ReadFile("../../docs/cameras.md"))(t)
	_, table, found := strings.Cut(string(text), "### What things are made of\n")
	if !found {
		t.Fatal("no such section")
	}
	b := newBuilder(&Cache{})
	b.field(&physics.Field{HasGoals: true, HasLines: true, HasBoards: true,
		Length: 18, Width: 12, Border: 1.5, GoalWidth: 2, GoalHeight: 1, GoalDepth: 0.5,
		PostWidth: 0.125, WallHeight: 0.3})
	room := &b.scene.Room
	all := map[string]render.Material{
		"ball: leather": b.scene.Materials[leather], "ball: pentagons": {Color: b.scene.Materials[leather].Color2,
			F0: plastic, Roughness: b.scene.Materials[leather].Roughness},
		"carpet": {Color: b.scene.Carpet}, "lines": {Color: b.scene.Floor.LineColor},
		"bare floor": {Color: room.Floor}, "walls": {Color: room.Wall}, "ceiling": {Color: room.Ceiling},
		"posts, rods": b.scene.Materials[white], "nets": b.scene.Materials[net],
		"boards, light": b.scene.Materials[board], "boards, dark": b.scene.Materials[boardDark],
		"robots: black": b.scene.Materials[black], "robots: graphite": b.scene.Materials[graphite],
		"robots: rubber":    b.scene.Materials[rubber],
		"robots: aluminium": b.scene.Materials[aluminium], "robots: mirror": b.scene.Materials[chrome],
		"robots: lenses": b.scene.Materials[glass],
		"cards, cyan":    b.scene.Materials[cyan], "cards, magenta": b.scene.Materials[magenta],
		"robots: stop button": b.scene.Materials[red],
	}
	for i, name := range []string{"skin, lightest", "skin", "skin, medium", "skin, dark", "skin, darkest"} {
		painted := newBuilder(&Cache{})
		at := painted.painted(skins[i], black)
		all[name] = painted.scene.Materials[at]
	}
	if want := len(b.scene.Materials) + 1 + 2 + 3 + len(skins); len(all) != want {
		t.Errorf("%d kinds of matter, want all %d", len(all), want)
	}
	rows := 0
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			break
		}
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 8 || strings.HasPrefix(cells[1], " ---") || strings.HasPrefix(cells[1], " what") {
			continue
		}
		rows++
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		m, ok := all[cells[1]]
		if !ok {
			t.Errorf("there is no %q", cells[1])
			continue
		}
		for i, want := range []string{reflects(&m), luminance(&m), triple(m.F0), fmt.Sprint(m.Roughness)} {
			if got := cells[2+i]; got != want {
				t.Errorf("%s: the table says %q, it is %q", cells[1], got, want)
			}
		}
		if cells[6] == "" {
			t.Errorf("%s: has no source", cells[1])
		}
	}
	if rows != len(all) {
		t.Errorf("the table has %d rows, want one for each of %d", rows, len(all))
	}
}

func reflects(m *render.Material) string {
	if m.Metal {
		return "–"
	}
	return triple(m.Color)
}

func luminance(m *render.Material) string {
	c := m.Color
	if m.Metal {
		c = m.F0
	}
	return fmt.Sprintf("%.3f", render.Luminance(c))
}

// triple formats a colour in linear light: one number for a grey.
func triple(c mgl32.Vec3) string {
	number := func(x float32) string { return fmt.Sprint(math.Round(1000*float64(x)) / 1000) }
	if c[0] == c[1] && c[1] == c[2] {
		return number(c[0])
	}
	return number(c[0]) + ", " + number(c[1]) + ", " + number(c[2])
}

// The seed determines the wear of a floor: more wear takes more light, new lines are left alone, and a new floor has no
// traces.
func TestFloorsAreWornBySeed(t *testing.T) {
	w := must.Get(worlds.Load("nubot-attack"))(t)
	field := &w.Field.Field
	used := func(h worlds.Hall) *render.Traces {
		f := render.Floor{SizeX: field.Length + 2*field.Border, SizeY: field.Width + 2*field.Border,
			Marks: field.Marks()}
		addWear(&f, field, &h)
		return f.Traces
	}
	hall := func(seed uint64, wear, lines float64) worlds.Hall {
		return worlds.Hall{Hall: render.Hall{Wear: wear, LineWear: lines}, Seed: seed}
	}
	if used(hall(1, 0, 0)) != nil {
		t.Error("a new floor has traces")
	}
	one, again, other := used(hall(1, 0.5, 0.8)), used(hall(1, 0.5, 0.8)), used(hall(2, 0.5, 0.8))
	if !bytes.Equal(one.Pix, again.Pix) {
		t.Error("the same seed makes other traces")
	}
	if bytes.Equal(one.Pix, other.Pix) {
		t.Error("another seed makes the same traces")
	}
	little, much := used(hall(1, 0.2, 0)), used(hall(1, 0.9, 0))
	if a, b := little.MeanKept(), much.MeanKept(); !(b < a-0.02 && a < 0.995 && b > 0.5) {
		t.Errorf("wear of 0.2 and 0.9 leaves %.3f and %.3f of the light", a, b)
	}
	torn := 0
	for i := 0; i < len(one.Pix); i += 4 {
		if little.Pix[i+render.There] != 255 || little.Pix[i+render.Clean] != 255 || little.Pix[i+render.Shift] != 128 {
			t.Fatal("lines as new have traces")
		}
		if one.Pix[i+render.There] < 128 {
			torn++
		}
	}
	if share := float64(torn) / (render.TraceTexels * render.TraceTexels); !(share > 1e-4 && share < 0.02) {
		t.Errorf("tape is torn off on %.5f of the floor", share)
	}
}
