package worlds

import "github.com/omnipitch/omnipitch/render"

// Hall is what is around the field.
type Hall struct {
	render.Hall
	Balls []BallBeside `toml:"ball" merge:"name" maxlen:"100" doc:"that lie about, each of which is not the game's: seen in images alone, and touched by nothing"`
}
