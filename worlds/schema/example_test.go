package schema_test

import (
	"fmt"
	"math"
	"time"

	"github.com/omnipitch/omnipitch/worlds/schema"
)

type Camera struct {
	Name string        `toml:"name" required:"true" match:"name"`
	Fov  float64       `toml:"fov_deg" range:"(0, 360)" doc:"horizontal field of view"` // radians
	Rate float64       `toml:"rate_hz" range:"(0, 1000]"`
	Lag  time.Duration `toml:"latency_ms" range:"[0, inf)"`
}

func Example() {
	text := "name = \"omni\"\nfov_deg = -10\nrate_ms = 33\n"
	cfg := Camera{Fov: math.Pi / 2, Rate: 30}
	f, err := schema.Parse("worlds/derby.toml", []byte(text))
	if err == nil {
		err = f.Bind(&cfg)
	}
	fmt.Println(err)

	cfg = Camera{Name: "omni", Fov: 2 * math.Pi, Rate: 30}
	fmt.Println(schema.Check(cfg))
	// Output:
	// worlds/derby.toml:2:1: fov_deg = -10: must lie in (0, 360)
	// worlds/derby.toml:3:1: rate_ms = 33: unknown key; did you mean rate_hz?
	// fov_deg = 360: must lie in (0, 360)
}

func ExampleDescribe() {
	for _, d := range schema.Describe(Camera{Fov: math.Pi / 2, Rate: 30}) {
		fmt.Println(d.Key, "|", d.Type, "|", d.Unit, "|", d.Default, "|", d.Rule, "|", d.Doc+".")
	}
	// Output:
	// name | string |  |  | required, a name | .
	// fov_deg | number | deg | 90 | in (0, 360) | horizontal field of view.
	// rate_hz | number | Hz | 30 | in (0, 1000] | .
	// latency_ms | number | ms | 0 | in [0, inf) | .
}
