package worlds

import "github.com/omnipitch/omnipitch/render"

// Skin is the paint of a robot. By default a robot is black and grey.
type Skin struct {
	Hull    render.Color `toml:"hull_color" doc:"colour of the storey above the wheels, as #rrggbb, sRGB; left out, black"`
	Cover   render.Color `toml:"cover_color" doc:"colour of the storey with the colour cards, and of a goalkeeper's panels; left out, dark grey"`
	Stripe  render.Color `toml:"stripe_color" doc:"colour of the stripes; left out, white"`
	Stripes int          `toml:"stripes" range:"[0, 3]" doc:"number of stripes around the hull"`
	Plates  bool         `toml:"plates" doc:"whether white plates with the whole number are on both sides of the hull"`
	Seed    uint64       `toml:"seed" doc:"seed that draws the values left out, for each robot of a team by its number; 0 draws nothing"`
}
