package schema_test

import (
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

func TestDescribe(t *testing.T) {
	w := defaultWorld()
	w.Wind[0] = 0.5
	want := []schema.KeyDoc{
		{Path: "name", Key: "name", Type: "string", Rule: "required, a name", Required: true},
		{Path: "seed", Key: "seed", Type: "integer", Default: "0", Rule: "in [0, inf)", Doc: "key of all randomness"},
		{Path: "field", Key: "field", Type: "string or table"},
		{Path: "field.length_m", Key: "length_m", Type: "number", Unit: "m", Default: "18", Rule: "in (0, 100)"},
		{Path: "field.width_m", Key: "width_m", Type: "number", Unit: "m", Default: "12"},
		{Path: "step_ms", Key: "step_ms", Type: "number", Unit: "ms", Default: "5", Rule: "in (0, 100]"},
		{Path: "engine", Key: "engine", Type: "string", Default: `"ode"`, Rule: "one of ode, planar",
			Choices: []string{"ode", "planar"}},
		{Path: "robot", Key: "robot", Type: "array of tables", Rule: "merged by name"},
		{Path: "robot[].name", Key: "name", Type: "string", Rule: "required, a name", Required: true},
		{Path: "robot[].pose", Key: "pose", Type: "table"},
		{Path: "robot[].pose.x_m", Key: "x_m", Type: "number", Unit: "m", Default: "0"},
		{Path: "robot[].pose.heading_deg", Key: "heading_deg", Type: "number", Unit: "deg", Default: "90",
			Rule: "in [-360, 360]"},
		{Path: "robot[].sensor", Key: "sensor", Type: "array of tables", Rule: "merged by name"},
		{Path: "robot[].sensor[].name", Key: "name", Type: "string", Rule: "required", Required: true},
		{Path: "robot[].sensor[].rate_hz", Key: "rate_hz", Type: "number", Unit: "Hz", Rule: "required, in (0, 1000]",
			Required: true},
		{Path: "robot[].sensor[].latency_ms", Key: "latency_ms", Type: "number", Unit: "ms", Default: "0",
			Rule: "in [0, inf)"},
		{Path: "robot[].sensor[].fov_deg", Key: "fov_deg", Type: "number", Unit: "deg", Default: "180",
			Rule: "in (0, 360)"},
		{Path: "robot[].sensor[].level", Key: "level", Type: "string", Default: `"raw"`,
			Rule: "one of raw, ideal, features, objects, truth", Choices: []string{"raw", "ideal", "features",
				"objects", "truth"}},
		{Path: "robot[].sensor[].mirror", Key: "mirror", Type: "table"},
		{Path: "robot[].sensor[].mirror.rim_radius_mm", Key: "rim_radius_mm", Type: "number", Unit: "mm",
			Rule: "in (0, inf)"},
		{Path: "robot[].sensor[].mirror.lens_radius_mm", Key: "lens_radius_mm", Type: "number", Unit: "mm",
			Default: "0"},
		{Path: "wind_m_s", Key: "wind_m_s", Type: "array of 3 numbers", Unit: "m/s", Default: "[0.5, 0, 0]"},
		{Path: "tags", Key: "tags", Type: "array of strings", Default: `["match"]`, Rule: "a name, length at least 1"},
		{Path: "grid", Key: "grid", Type: "array of array of numbers", Rule: "in [0, 1]"},
		{Path: "drag", Key: "drag", Type: "table of numbers", Rule: "in [0, inf), a name"},
		{Path: "lamp", Key: "lamp", Type: "table of tables"},
		{Path: "lamp.<name>.power_w", Key: "power_w", Type: "number", Unit: "W", Default: "40", Rule: "in [0, inf)"},
		{Path: "small", Key: "small", Type: "integer", Default: "0", Rule: "in [-128, 127]"},
		{Path: "count", Key: "count", Type: "integer", Default: "0", Rule: "in [0, 255]"},
		{Path: "limit_m", Key: "limit_m", Type: "number", Unit: "m", Default: "inf", Rule: "in (0, inf]"},
		{Path: "gain", Key: "gain", Type: "number", Default: "0"},
		{Path: "any", Key: "any", Type: "value"},
		{Path: "loud", Key: "loud", Type: "boolean", Default: "false"},
		{Path: "version", Key: "version", Type: "integer", Default: "0",
			Rule: "in [-2^63, 2^63-1], the same for every seed"},
	}
	must.Equal(t, schema.Describe(w), want, "description")
}

func TestDescribeEndsOnTypesThatHoldThemselves(t *testing.T) {
	type tree struct {
		Size     float64 `toml:"size_m"`
		Children []tree  `toml:"child"`
	}
	var paths []string
	for _, d := range schema.Describe(tree{}) {
		paths = append(paths, d.Path)
	}
	must.Equal(t, paths, []string{"size_m", "child"}, "paths")
}
