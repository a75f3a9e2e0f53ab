package worlds

import (
	"testing"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// Each key comes from the first that gives it: robot, team, model in the world, model.
func TestTablesOfTeamsAndModels(t *testing.T) {
	const tables = `
name = "w"
[team.cyan]
model = "nubot"
body = { mass_kg = 22 }
[[team.cyan.sensor]]
name = "front"
level = "objects"
[team.magenta]
pose = { heading_deg = 180, y_m = 5 }
body = { mass_kg = 23 }
[model.nubot]
body = { mass_kg = 11, height_m = 0.7 }
[[model.nubot.sensor]]
for_each = { name = ["omni", "front"] }
name = "{name}"
level = "ideal"
[[model.nubot.sensor]]
name = "rear"
kind = "camera"
`
	for name, c := range map[string]struct {
		robot                      string
		mass, height, heading      float64
		omni, front, rear, kinects string
	}{
		"cyan, without saying so": {"pose = { x_m = 1 }", 22, 0.7, 0, "ideal", "objects", "raw", ""},
		"its own": {"body = { mass_kg = 33, height_m = 0.6 }\n[[robot.sensor]]\nname = " +
			"\"front\"\nlevel = \"truth\"", 33, 0.6, 0, "ideal", "truth", "raw", ""},
		"another model": {"model = \"nubot-goalkeeper\"\n[[robot.sensor]]\nname = \"front\"\nkind = " +
			"\"camera\"", 22, 0.8, 0, "raw", "objects", "", "raw"},
		"another team": {"team = \"magenta\"\nmodel = \"nubot\"\npose.x_m = 2", 23, 0.7, 180, "ideal",
			"ideal", "raw", ""},
		"another team and a model": {"team = \"magenta\"\nmodel = \"nubot-goalkeeper\"", 23, 0.8, 180, "raw", "", "",
			"raw"},
	} {
		text := tables + "[[robot]]\nname = \"r\"\n" + c.robot
		// so that all tables are used
		for _, other := range []string{"y_m = -5 }\nteam = \"cyan\"", "y_m = -4 }\nteam = \"magenta\"\nmodel = " +
			"\"nubot\""} {
			text += "\n[[robot]]\nname = \"r" + other[7:8] + "\"\npose = { " + other
		}
		w, err := Parse("w.toml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := w.Robots[0]
		level := func(sensor string) string {
			if c, ok := w.Sensor("r", sensor); ok {
				return string(c.Level)
			}
			return ""
		}
		const degree = 0.017453292519943295
		if r.Body.Mass != c.mass || r.Body.Height != c.height || r.Pose.Heading != c.heading*degree ||
			level("omni") != c.omni || level("front") != c.front || level("rear") != c.rear ||
			level("kinect_left") != c.kinects {
			t.Errorf("%s: %+v %+v, omni %s, front %s, rear %s, kinect %s", name, r.Body, r.Pose, level("omni"),
				level("front"), level("rear"), level("kinect_left"))
		}
	}
}

// A team that a model names counts as the robot's own. Tables of included worlds are below those of the world.
func TestTablesOfIncludedWorlds(t *testing.T) {
	dir := t.TempDir()
	model := must.Get(Source("nubot"))(t)
	write(t, dir, "robots/mine.toml", "team = \"magenta\"\n"+string(model))
	write(t, dir, "base.toml", "name = \"base\"\n[team.magenta]\nbody = { mass_kg = 40, height_m = 0.5 "+
		"}\n[model.\"robots/mine.toml\"]\nkicker = { max_speed_m_s = 9 }\n[team.cyan]\nbody = { mass_kg = 50 }\n"+
		"[[robot]]\nname = \"a\"\nmodel = \"robots/mine.toml\"\n")
	w, err := Load(write(t, dir, "top.toml", "name = \"top\"\ninclude = [\"base.toml\"]\nteam.magenta.body.mass_kg = "+
		"41\n"))
	if err != nil {
		t.Fatal(err)
	}
	if r := w.Robots[0]; r.Team != "magenta" || r.Body.Mass != 41 || r.Body.Height != 0.5 || r.Kicker.MaxSpeed != 9 {
		t.Errorf("team %s, body %+v, kicker %+v", r.Team, r.Body, r.Kicker)
	}
}
