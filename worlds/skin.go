package worlds

import "github.com/omnipitch/omnipitch/render"

// Skin is how a robot is painted. Without any, it is black and grey.
type Skin struct {
	Hull    render.Color `toml:"hull_color" doc:"of the storey above the wheels, as #rrggbb, sRGB; black if left out"`
	Cover   render.Color `toml:"cover_color" doc:"of the storey with the colour cards, and of a goalkeeper's panels; dark grey if left out"`
	Stripe  render.Color `toml:"stripe_color" doc:"of the stripes; white if left out"`
	Stripes int          `toml:"stripes" range:"[0, 3]" doc:"round the hull"`
	Plates  bool         `toml:"plates" doc:"white plates with the whole number on both sides of the hull"`
	Seed    uint64       `toml:"seed" doc:"draws all of this that is left out, for each robot of a team by its number; 0: nothing is drawn"`
}
