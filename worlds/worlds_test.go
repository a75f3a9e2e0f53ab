package worlds

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/allocs"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/worlds/schema"
)

func TestEveryShippedFileLoads(t *testing.T) {
	for _, name := range worldFiles.names() {
		w, err := Load(name)
		if err != nil {
			t.Errorf("world %s: %v", name, err)
		} else if w.Name != name || w.About == "" {
			t.Errorf("world %s calls itself %q, %q", name, w.Name, w.About)
		}
		if _, err := Load(name + ".toml"); err != nil { // like a user who has copied it
			t.Errorf("world %s as a file: %v", name, err)
		}
	}
	for _, name := range fieldFiles.names() {
		if w, err := Parse("w.toml", []byte(minimal+"field = \""+name+"\"\n"+robot)); err != nil {
			t.Errorf("field %s: %v", name, err)
		} else if w.Field.Name != name {
			t.Errorf("field %s calls itself %q", name, w.Field.Name)
		}
	}
	for _, name := range robotModels.names() {
		if w, err := Parse("w.toml", []byte(minimal+"field = \"msl-18x12\"\n[[robot]]\nname = \"r\"\nmodel = \""+name+"\"")); err != nil {
			t.Errorf("model %s: %v", name, err)
		} else if w.Robots[0].About == "" || len(w.Robots[0].Sensors) == 0 {
			t.Errorf("model %s is empty: %+v", name, w.Robots[0])
		}
	}
}

// In shipped worlds, a robot wears the number with which its name ends, except where a scene needs another one.
func TestShippedRobotsWearTheNumbersOfTheirNames(t *testing.T) {
	digits := regexp.MustCompile(`[0-9]+$`)
	for _, name := range worldFiles.names() {
		if name == "drives" || name == "busy-hall" { // omni3 names a drive; a number with two digits on a back
			continue
		}
		w := must.Get(Load(name))(t)
		for i := range w.Robots {
			if r := &w.Robots[i]; digits.MatchString(r.Name) && digits.FindString(r.Name) != strconv.Itoa(r.Number) {
				t.Errorf("%s: %s wears a %d", name, r.Name, r.Number)
			}
		}
	}
}

// Front is to the right in the omni images of every shipped world and model, as NuBot's software assumes.
func TestShippedOmniCamerasShowFrontToTheRight(t *testing.T) {
	texts := map[string]string{}
	for _, name := range worldFiles.names() {
		texts["world "+name] = minimal + "include = [\"" + name + "\"]\n"
	}
	for _, name := range robotModels.names() {
		texts["model "+name] = minimal + "field = \"msl-18x12\"\n[[robot]]\nname = \"r\"\nmodel = \"" + name + "\"\n"
	}
	for name, text := range texts {
		w, err := Parse("w.toml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range w.Robots {
			for _, c := range r.Sensors {
				front := c.Mount.Yaw + math.Pi/2
				if c.Kind == sensors.OmniKind && !(math.Abs(front) <= 1e-9) {
					t.Errorf("%s: %s.%s: mount.yaw_deg = %.4g: want -90", name, r.Name, c.Name, c.Mount.Yaw*180/math.Pi)
				}
			}
		}
	}
}

const (
	minimal = "name = \"w\"\n"
	robot   = "[[robot]]\nname = \"r\"\nmodel = \"nubot\"\n"
)

func lines(err error) []string {
	var out []string
	for _, e := range schema.Flatten(err) {
		out = append(out, e.Error())
	}
	return out
}

// Each case of the files in testdata/errors is a world, with the beginnings of all its errors in order.
func TestErrorsNamePlaceValueAndRule(t *testing.T) {
	paths, err := filepath.Glob("testdata/errors/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		for _, c := range must.Cases(t, path) {
			t.Run(filepath.Base(path)+"/"+c.Name, func(t *testing.T) {
				_, err := Parse("w.toml", []byte(c.Text))
				wantPrefixes(t, err, c.Want)
			})
		}
	}
}

// wantPrefixes compares the errors in err with their beginnings, in order.
func wantPrefixes(t *testing.T, err error, want []string) {
	t.Helper()
	if got := lines(err); len(got) != len(want) || !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Rules of a robot's parts are in tags, which both the world and the physics check.
func TestBrokenRulesAreSaidOnce(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(minimal+robot)))(t)
	w.Robots[0].Kicker.MaxSpeed, w.Robots[0].Dribbler.MaxAngle = 0, 0
	got := lines(w.Validate())
	want := []string{"robot[0].kicker.max_speed_m_s = 0: must lie in (0, 30]",
		"robot[0].dribbler.max_angle_deg = 0: must lie in (0, 180]"}
	must.Equal(t, got, want, "violations")
}

func TestATableStartsFromTheDefaultField(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(minimal+"field = { length_m = 16 }\n"+robot)))(t)
	want := defaultField()
	want.Name, want.Length = "custom", 16
	must.Equal(t, w.Field, want, "field")
}

func TestSpeedIsANameOrANumber(t *testing.T) {
	for text, want := range map[string]string{`"max"`: "max", `0.5`: "0.5", `4`: "4", `"realtime"`: "realtime"} {
		w, err := Parse("w.toml", []byte(minimal+"field = \"msl-18x12\"\n"+robot+"[time]\nspeed = "+text))
		if err != nil || w.Time.Speed.String() != want {
			t.Errorf("speed = %s: %v, %v", text, w, err)
		}
	}
}

func TestAWorldOverridesItsModel(t *testing.T) {
	w := must.Get(Parse("w.toml", []byte(minimal+`field = "msl-18x12"
[[robot]]
name = "r"
model = "nubot"
body = { mass_kg = 40 }
[[robot.sensor]]
name = "omni"
level = "objects"
image = { width_px = 320 }
vision = { pixel_noise_px = 2 }
[[robot.sensor]]
name = "rear"
kind = "camera"
`)))(t)
	r := w.Robots[0]
	if r.Body.Mass != 40 || r.Body.Radius != 0.25 {
		t.Errorf("body %+v", r.Body)
	}
	omni, _ := w.Sensor("r", "omni")
	if omni.Level != abstraction.Objects || omni.Rate != 30 || omni.Image.Width != 320 || omni.Image.Height != 640 {
		t.Errorf("omni %+v, image %+v", omni, omni.Image)
	}
	if omni.Vision.PixelNoise != 2 || omni.Vision.MaxRange != abstraction.DefaultVision().MaxRange {
		t.Errorf("vision %+v", omni.Vision)
	}
	rear, ok := w.Sensor("r", "rear")
	if !ok || rear.Level != abstraction.Raw || rear.Rate != 30 || rear.Image == nil {
		t.Errorf("rear %+v", rear)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestIncludesAndPathsStartFromTheirOwnFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "robots/mine.toml", "about = \"mine\"\n[body]\nradius_m = 0.2\nheight_m = 0.5\nmass_kg = "+
		"10\ninertia_zz_kg_m2 = 1\ncom_height_m = 0.1\n"+
		"[drive]\nlevel = \"chassis\"\nwheel_angles_deg = [60, 180, 300]\nwheel_distance_m = 0.2\nwheel_radius_m = "+
		"0.05\nmax_wheel_speed_m_s = 4\nmax_wheel_force_n = 50\nmax_speed_m_s = 3\nmax_omega_deg_s = "+
		"300\nmax_accel_m_s2 = 3\nmax_alpha_deg_s2 = 900\n")
	write(t, dir, "base/common.toml", "name = \"common\"\nfield = \"msl-22x14\"\n[[robot]]\nname = \"a\"\nmodel = "+
		"\"../robots/mine.toml\"\n")
	top := write(t, dir, "top.toml", "name = \"top\"\ninclude = [\"base/common.toml\"]\n[[robot]]\nname = "+
		"\"a\"\npose = { x_m = 2 }\n")
	w := must.Get(Load(top))(t)
	if w.Name != "top" || w.Field.Length != 22 || len(w.Robots) != 1 || w.Robots[0].Pose.X != 2 ||
		w.Robots[0].Body.Mass != 10 {
		t.Errorf("%+v", w)
	}
}

func TestIncludeCycle(t *testing.T) {
	dir := t.TempDir()
	a := write(t, dir, "a.toml", "name = \"a\"\ninclude = [\"b.toml\"]\n")
	b := write(t, dir, "b.toml", "name = \"b\"\ninclude = [\"a.toml\"]\n")
	_, err := Load(a)
	want := []string{b + ":2:1: include"}
	if got := lines(err); len(got) != 1 || !strings.HasPrefix(got[0], want[0]) || !strings.Contains(got[0],
		"includes itself: "+a+" → "+b+" → "+a) {
		t.Errorf("got %v", got)
	}
}

func TestUnknownWorld(t *testing.T) {
	_, err := Load("nubot-atack")
	must.Equal(t, fmt.Sprint(err),
		`world "nubot-atack": is no world that ships with omnipitch and no file, did you mean "nubot-attack"?`, "error")
	must.Refuse(Load(t.TempDir()))(t, "is a folder, not a file")
	must.Refuse(Load("no/such.toml"))(t, "no such file: no/such.toml")
}

func TestAPathBeatsAName(t *testing.T) {
	dir := t.TempDir()
	text := must.Get(shipped.ReadFile("nubot-attack.toml"))(t)
	write(t, dir, "nubot-attack", strings.Replace(string(text), "seed = 1", "seed = 77", 1))
	t.Chdir(dir)
	w, err := Load("nubot-attack")
	if err != nil || w.Seed != 77 {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestLoadingTwiceGivesTheSame(t *testing.T) {
	a, errA := Load("nubot-attack")
	b, errB := Load("nubot-attack")
	must.Do(t, errors.Join(errA, errB))
	sameWorld(t, b, a)
}

func FuzzParse(f *testing.F) {
	for _, name := range worldFiles.names() {
		data := must.Get(shipped.ReadFile(name + ".toml"))(f)
		f.Add(data)
	}
	f.Add([]byte(minimal + "field = { length_m = 18 }\n" + robot + "[[event]]\nat_s = 1\nset_level = { robot = " +
		"\"r\", sensor = \"omni\", level = \"raw\" }\n"))
	f.Add([]byte("include = [\"nubot-attack\"]\nname = \"x\"\n[[robot]]\nname = \"cyan1\"\n[[robot.sensor]]\nname = " +
		"\"omni\"\nkind = \"imu\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > schema.MaxBytes {
			return
		}
		allocs.AtMost(t, allocs.ParseLimit, func() {
			w, err := Parse("fuzz.toml", data)
			if (w == nil) == (err == nil) {
				t.Fatalf("world %v with error %v", w, err)
			}
		})
	})
}

// Folders of programs are relative to the file that names them.
func TestFoldersOfPrograms(t *testing.T) {
	w, err := Parse("some/where/w.toml", []byte("name = 'w'\ninclude = ['in-turn']\n[[program]]\nname = 'a'\ncommand "+
		"= ['a']\n[[program]]\nname = 'b'\ncommand = ['b']\nfolder = '../c'"))
	if err != nil {
		t.Fatal(err)
	}
	if got := []string{w.Programs[0].Folder, w.Programs[1].Folder}; got[0] != filepath.Clean("some/where") ||
		got[1] != filepath.Clean("some/c") {
		t.Errorf("folders %q", got)
	}
}
