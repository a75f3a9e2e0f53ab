package worlds

import (
	"fmt"

	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render"
)

// Values of BallLook.Pattern.
const (
	FootballPattern = "football"
	StripesPattern  = "stripes"
	PlainPattern    = "plain"
)

// Ball is the game's ball, with its appearance.
type Ball struct {
	physics.Ball
	BallLook
}

// BallLook is the appearance of a ball.
type BallLook struct {
	Color   render.Color `toml:"color" doc:"main colour as #rrggbb, sRGB; left out, yellow, about #efbc21"`
	Color2  render.Color `toml:"color2" doc:"colour of the pentagons or of every other stripe; left out, black"`
	Pattern string       `toml:"pattern" oneof:"football|stripes|plain" doc:"pattern: football has pentagons on a ball of color; stripes has eight stripes from pole to pole, alternately of both colours"`
}

// ExtraBall is an additional ball, which is not the game's ball. Images show it, but nothing touches it. The referee,
// conditions and levels without images ignore it. The ground truth of images names it.
type ExtraBall struct {
	Name   string  `toml:"name" required:"true" match:"name" fixed:"true"`
	X      float64 `toml:"x_m" range:"[-50, 50]" doc:"position of the ball"`
	Y      float64 `toml:"y_m" range:"[-50, 50]" doc:"position of the ball"`
	Radius float64 `toml:"radius_m" range:"[0.02, 0.5]" doc:"radius; FIFA size 5 is 0.11"`
	BallLook
}

// SetDefaults sets a ball that looks like the game's ball.
func (b *ExtraBall) SetDefaults() {
	b.Radius, b.Pattern = physics.DefaultBall().Radius, FootballPattern
}

// looks returns the colours of balls and robots with their paths in the world. The check of colours uses them.
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

// placedColor is a colour and its path in a world.
type placedColor struct {
	path, key string
	color     render.Color
}
