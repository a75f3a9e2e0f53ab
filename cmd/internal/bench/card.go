package bench

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/render/backend"
)

// Card measures OpenGL on a graphics card and the tile renderer by turns, and says which goals are met.
type Card struct {
	Rounds int  `default:"20" help:"Largest number of repetitions; slow images are drawn for three seconds. Default: ${default}."`
	Many   int  `default:"100" placeholder:"N" help:"Number of cameras that are drawn at once, ten times as many with small images. Default: ${default}."`
	JSON   bool `help:"Print one JSON object."`
	// Software measures also without a graphics card. Tests use it.
	Software bool `hidden:""`
}

// Goals in plain light, for an NVIDIA H100.
const (
	goalLatency = 3   // ms, of one image
	goalTile    = 2.5 // images per second, as a multiple of the tile renderer's
	goalLabels  = 0.7 // images per second with labels, as a multiple of those without
)

// Check validates the flags.
func (c *Card) Check() error {
	return cmp.Or(atLeast1("--rounds", c.Rounds), atLeast1("--many", c.Many))
}

// Run measures and prints.
func (c *Card) Run(ctx context.Context, con console.Streams) error {
	if auto := backend.Choose(backend.Auto, nil); auto.Name != "opengl" && !c.Software {
		return fmt.Errorf("bench card needs a graphics card, but %s", auto.Why)
	}
	instructions, err := backend.Instructions()
	if err != nil {
		return err
	}
	b := cardBench{ctx: ctx, report: newReport("card"), rounds: c.Rounds, many: c.Many}
	b.report.Machine += ", " + instructions + ", " + backend.Machine("opengl") + "; goals are for an NVIDIA H100"
	ten, err := openStills("ten-robots")
	if err != nil {
		return err
	}
	for _, look := range []string{"plain", "natural"} {
		if err := b.measure(ten, look == "natural"); err != nil {
			return err
		}
		fmt.Fprintf(con.Notes(), "%s: measured\n", look)
		ten = ten.natural()
	}
	return b.report.print(con.Out, c.JSON)
}

// cardBench measures two renderers by turns.
type cardBench struct {
	ctx          context.Context
	report       *Report
	rounds, many int
	openGL, tile *drawers
}

// measure adds the results of a look.
func (b *cardBench) measure(s *stills, natural bool) (err error) {
	if b.openGL, err = s.open(backend.Choose("opengl", s.scene)); err != nil {
		return err
	}
	defer b.openGL.close()
	if b.tile, err = s.open(backend.Choose("tile", s.scene)); err != nil {
		return err
	}
	defer b.tile.close()
	if !natural {
		if err := b.one(s); err != nil {
			return err
		}
	}
	for i := range manyCameras {
		c := &manyCameras[i]
		switch {
		case !natural:
			err = b.together(s, "", c)
		case c.goal > 0:
			err = b.together(s, "natural_", c)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

// one adds the time of one image.
func (b *cardBench) one(s *stills) error {
	c := cameras{name: "omni_640x640", sensor: "omni", level: abstraction.Raw, times: 1}
	drawn, beside, err := inTurns(b.ctx, b.rounds, s.drawTogether(b.openGL, c.views(s, 1)),
		s.drawTogether(b.tile, c.views(s, 1)))
	if err == nil {
		b.report.compare("ms", c.result(b.openGL.by), c.result(b.tile.by), drawn.wall, beside.wall)
		b.report.addGoal(c.result(b.openGL.by), "", Goal{Most: goalLatency})
	}
	return err
}

// together adds the number of images per second of many cameras. Images from cube maps alternate with the same images
// drawn directly, images with ground truth with those without, and all others with those of the tile renderer.
func (b *cardBench) together(s *stills, prefix string, c *cameras) error {
	beside, by := *c, b.tile
	switch {
	case c.cube > 0:
		beside.cube, beside.name, by = 0, strings.TrimSuffix(c.name, "_cube")+"_direct", b.openGL
	case c.labels || c.truth:
		beside.labels, beside.truth, by = false, false, b.openGL
		beside.name = strings.TrimSuffix(strings.TrimSuffix(c.name, "_labels"), "_truth")
	}
	views := c.views(s, b.many)
	drawn, others, err := inTurns(b.ctx, b.rounds, s.drawTogether(b.openGL, views),
		s.drawTogether(by, beside.views(s, b.many)))
	if err != nil {
		return err
	}
	name, other := prefix+c.result(b.openGL.by)+"_rate", prefix+beside.result(by.by)+"_rate"
	b.report.compare("Hz", name, other, rates(drawn, len(views)), rates(others, len(views)))
	switch {
	case prefix != "":
	case c.labels:
		b.report.addGoal(name, other, Goal{Least: goalLabels})
	case c.goal > 0:
		b.report.addGoal(name, "", Goal{Least: c.goal})
		b.report.addGoal(name, other, Goal{Least: goalTile})
	}
	return nil
}

// rates returns the images per second of batches of n images.
func rates(of times, n int) []float64 {
	all := make([]float64, len(of.wall))
	for i, ms := range of.wall {
		all[i] = 1e3 * float64(n) / ms
	}
	return all
}
