package worlds

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// Patterns of balls, as BallLook.Pattern has them.
const (
	FootballPattern = "football"
	StripesPattern  = "stripes"
	PlainPattern    = "plain"
)

// Ball is the ball and how it looks.
type Ball struct {
	physics.Ball
	BallLook
}

// BallLook is how a ball looks.
type BallLook struct {
	Color   render.Color `toml:"color" doc:"as #rrggbb, sRGB; yellow, about #efbc21, if left out"`
	Color2  render.Color `toml:"color2" doc:"of the pentagons or of every other stripe; black if left out"`
	Pattern string       `toml:"pattern" oneof:"football|stripes|plain" doc:"football: pentagons on a ball of color; stripes: eight from pole to pole, of both colours in turn"`
}

// BallBeside is a ball that is not the game's: it can be seen in images, and nothing touches it. Referee, conditions
// and levels without images know nothing of it; the truth of images names it.
type BallBeside struct {
	Name   string  `toml:"name" required:"true" match:"name" fixed:"true"`
	X      float64 `toml:"x_m" range:"[-50, 50]" doc:"where it lies"`
	Y      float64 `toml:"y_m" range:"[-50, 50]" doc:"where it lies"`
	Radius float64 `toml:"radius_m" range:"[0.02, 0.5]" doc:"FIFA size 5 is 0.11"`
	BallLook
}

// SetDefaults makes a ball like the game's.
func (b *BallBeside) SetDefaults() {
	b.Radius, b.Pattern = physics.DefaultBall().Radius, FootballPattern
}

// looks returns the colours of balls and robots with where they stand, for what judges them.
func (w *World) looks() (all []placedColor) {
	all = append(all, placedColor{"ball", "color", w.Ball.Color}, placedColor{"ball", "color2", w.Ball.Color2},
		placedColor{"hall", "carpet_color", w.Hall.Carpet}, placedColor{"hall", "net_color", w.Hall.Net})
	for i := range w.Hall.Balls {
		b, path := &w.Hall.Balls[i], fmt.Sprintf("hall.ball[%d]", i)
		all = append(all, placedColor{path, "color", b.Color}, placedColor{path, "color2", b.Color2})
	}
	for i := range w.Robots {
		s, path := &w.Robots[i].Skin, fmt.Sprintf("robot[%d].skin", i)
		all = append(all, placedColor{path, "hull_color", s.Hull}, placedColor{path, "cover_color", s.Cover},
			placedColor{path, "stripe_color", s.Stripe})
	}
	return all
}

// placedColor is a colour with its place in a world.
type placedColor struct {
	path, key string
	color     render.Color
}
