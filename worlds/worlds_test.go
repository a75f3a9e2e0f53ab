package worlds

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/sensors"
	"github.com/omnipitch/omnipitch/testdata/allocs"
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

// numbered returns a text n times, each with its number.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// Each text is a world file, with all its errors in order.
func TestErrorsNamePlaceValueAndRule(t *testing.T) {
	const head = minimal + "field = \"msl-18x12\"\n" // lines 1 and 2
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"all at once", "name = \"w\"\nfield = \"msl-18x21\"\nsped = 1\n[time]\nstep_ms = 500\n" + robot +
			"team = \"blue\"\n", []string{
			`w.toml:2:1: field = "msl-18x21": is no field that ships with omnipitch and no file, did you mean "msl-18x12"?`,
			`w.toml:3:1: sped = 1: unknown key; did you mean seed?`,
			`w.toml:5:1: time: step_ms = 500: must lie in [0.1, 50]`,
			`w.toml:9:1: robot[0]: team = "blue": must be one of cyan, magenta`,
		}},
		{"no robot", minimal, []string{
			`w.toml:1:1: robot: a world needs at least one [[robot]]`,
		}},
		{"unknown model", head + "[[robot]]\nname = \"r\"\nmodel = \"nubto\"\n", []string{
			`w.toml:5:1: robot[0]: model = "nubto": is no robot model that ships with omnipitch and no file, did you mean "nubot"?`,
		}},
		{"missing file", head + "[[robot]]\nname = \"r\"\nmodel = \"./mine.toml\"\n", []string{
			`w.toml:5:1: robot[0]: model = "./mine.toml": no such file: mine.toml`,
		}},
		{"two of one name", head + robot + "[[obstacle]]\nname = \"r\"\npose = { x_m = 3 }\n", []string{
			`w.toml:7:1: obstacle[0]: name = "r": is already the name of robot[0]`,
		}},
		{"two of one number", head + robot + "number = 3\n[[robot]]\nname = \"s\"\nmodel = \"nubot\"\npose = { x_m = " +
			"3 }\nnumber = 3\n" +
			"[[robot]]\nname = \"t\"\nmodel = \"nubot\"\nteam = \"magenta\"\npose = { x_m = 5 }\nnumber = 3\n" +
			"[[robot]]\nname = \"u\"\nmodel = \"nubot\"\nteam = \"magent\"\npose = { x_m = -3 }\nnumber = 3\n",
			[]string{
				`w.toml:11:1: robot[1]: number = 3: r and s of team cyan both have number 3`,
				`w.toml:21:1: robot[3]: team = "magent": must be one of`,
			}},
		{"an included robot's number", minimal + "include = [\"simatch\"]\n[[robot]]\nname = \"NuBot2\"\nnumber = 3\n",
			[]string{
				`w.toml:5:1: robot[1]: number = 3: NuBot2 and NuBot3 of team cyan both have number 3`,
			}},
		{"an included robot's team", minimal + "include = [\"simatch\"]\n[[robot]]\nname = \"NuBot2\"\nteam = " +
			"\"magenta\"\n", []string{
			`w.toml:5:1: robot[1]: team = "magenta": NuBot2 and rival2 of team magenta both have number 2`,
		}},
		{"an included robot's name", minimal + "include = [\"simatch\"]\n[[robot]]\nname = \"Nubot2\"\npose = { x_m " +
			"= 6.5 }\n", []string{
			`w.toml:3:1: robot[10]: model: "Nubot2" has neither model nor body, and no included world has such a robot; did you mean NuBot2?`,
		}},
		{"no body", head + "[[robot]]\nname = \"r\"\npose = { x_m = 6.5 }\nnumbr = 2\n", []string{
			`w.toml:3:1: robot[0]: model: "r" has neither model nor body`,
			`w.toml:6:1: robot[0]: numbr = 2: unknown key; did you mean number?`,
		}},
		{"number of nobody", head + robot + "number = 0\n[[robot]]\nname = \"s\"\nmodel = \"nubot\"\npose = { x_m = " +
			"3 }\nnumber = 501\n", []string{
			`w.toml:6:1: robot[0]: number = 0: must lie in [1, 500]`,
			`w.toml:11:1: robot[1]: number = 501: must lie in [1, 500]`,
		}},
		{"wrong type", head + "[[robot]]\nname = \"r\"\nmodel = 7\n", []string{
			`w.toml:5:1: robot[0]: model = 7: must be a string`,
		}},
		{"form", minimal + "field = 7\nrobot = [\"nubot\"]\nprop = [\"x.glb\"]\n", []string{
			`w.toml:2:1: field = 7: must be a name or a table`,
			`w.toml:3:10: robot[0] = "nubot": must be a table`,
			`w.toml:4:9: prop[0] = "x.glb": must be a table`,
		}},
		{"numbers that 64 bits cannot hold", minimal + "seed = 99999999999999999999999\nball.x_m = 1e400\ntime = { " +
			"step_ms = 1e18, speed = \"warp\" }\n" + robot, []string{
			`w.toml:2:1: seed = 99999999999999999999999: must lie in [0, 2^63-1]`,
			`w.toml:3:6: ball: x_m = 1e400: must lie in [-50, 50]`,
			`w.toml:4:10: time: step_ms = 1e18: must lie in [0.1, 50]`,
			`w.toml:4:26: time: speed = "warp": must be "realtime"`,
		}},
		{"negative seed", minimal + "seed = -1\n" + robot, []string{
			`w.toml:2:1: seed = -1: must lie in [0, 2^63-1]`,
		}},
		{"level of a device that has none", head + robot + "[[robot.sensor]]\nname = \"imu\"\nlevel = \"objects\"\n",
			[]string{
				`w.toml:8:1: robot[0].sensor[3]: level = "objects": must be one of raw, truth for kind imu`,
			}},
		{"levels beside a sensor without kind", head + robot + "[[robot.sensor]]\nname = " +
			"\"x\"\n[[robot.sensor]]\nname = \"imu\"\nlevel = \"objects\"\n[[robot.sensor]]\nname = \"omni\"\nlevel " +
			"= \"pose\"\n" +
			"[[robot]]\nname = \"s\"\nmodel = \"nubto\"\n[[event]]\nset_level = { robot = \"s\", sensor = \"omni\", " +
			"level = \"raw\" }\n[[event]]\nset_level = { robot = \"r\", sensor = \"x\", level = \"objects\" " +
			"}\n[[event]]\nset_head_mode = { robot = \"s\", sensor = \"front\", mode = \"track\" " +
			"}\n[[event]]\nset_level = { robot = \"r\", sensor = \"omn\", level = \"raw\" }\n", []string{
			`w.toml:6:1: robot[0].sensor[4]: kind: must be given for a new sensor, and model nubot has none named "x"; the robot has omni, front, odometry, imu`,
			`w.toml:10:1: robot[0].sensor[3]: level = "objects": must be one of raw, truth for kind imu`,
			`w.toml:13:1: robot[0].sensor[0]: level = "pose": must be one of raw, ideal, features, objects, truth for kind omni`,
			`w.toml:16:1: robot[1]: model = "nubto": is no robot model`,
			`w.toml:24:28: event[3].set_level: sensor = "omn": there is no sensor r.omn`,
		}},
		{"sensors of another model", head + "[[robot]]\nname = \"k\"\nmodel = \"nubot-goalkeeper\"\nsensor = [{ name " +
			"= \"omni\", level = \"objects\" },\n  { name = \"kinect_lef\", rate_hz = 10 }, { name = \"imu\", " +
			"rate_hz = 50 }]\n", []string{
			`w.toml:6:11: robot[0].sensor[4]: kind: must be given for a new sensor, and model nubot-goalkeeper has none named "omni"; the robot has kinect_left, kinect_right, odometry, imu`,
			`w.toml:7:3: robot[0].sensor[5]: kind: must be given for a new sensor, and model nubot-goalkeeper has none named "kinect_lef"; did you mean kinect_left?`,
		}},
		{"rules of several keys beside a wrong key", "seed = -1\n" + head + robot +
			"body.com_height_m = 3\n[time]\nspeed = \"lockstep\"\nclock_hz = -1\n", []string{
			`w.toml:1:1: seed = -1: must lie in [0, 2^63-1]`,
			`w.toml:7:6: robot[0].body: com_height_m = 3: must`,
			`w.toml:9:1: time: speed = "lockstep": needs [[time.wait_for]]`,
			`w.toml:10:1: time: clock_hz = -1: must lie in [0, 10000]`,
		}},
		{"nothing that follows from a wrong key", head + robot + "body.mass_kg = \"x\"\n[[robot.sensor]]\nname = " +
			"\"front\"\nimage = { width_px = 1e9, height_px = 100000 }\n[time]\nspeed = \"lockstep\"\nwait_for = 7\n",
			[]string{
				`w.toml:6:6: robot[0].body: mass_kg = "x": must be a number`,
				`w.toml:9:11: robot[0].sensor[1].image: width_px = 1e9: must be an integer`,
				`w.toml:9:27: robot[0].sensor[1].image: height_px = 100000: must lie in`,
				`w.toml:12:1: time: wait_for = 7: must be an array`,
			}},
		{"part of another device", head + robot + "[[robot.sensor]]\nname = \"imu\"\nmirror = { k = 3 }\n", []string{
			`w.toml:8:1: robot[0].sensor[3]: mirror = { k = 3 }: does not belong to a sensor of kind imu`,
		}},
		{"event", head + robot + "[[event]]\nat_s = 1\nset_level = { robot = \"r\", sensor = \"onmi\", level = " +
			"\"truth\" }\n[[event]]\nat_s = 1\nset_level = { robot = \"r\", sensor = \"omni\", level = \"pose\" " +
			"}\n[[event]]\nat_s = -1\nplace = { name = \"bal\" }\n[[event]]\nplace = { name = \"bal\", x_m = 1 " +
			"}\n[[event]]\n[[event]]\nplace = { name = \"ball\" }\nkick = { robot = \"r\", way = \"lob\" " +
			"}\n[[event]]\nset = \"r.omni.level\"\n", []string{
			`w.toml:8:28: event[0].set_level: sensor = "onmi": there is no sensor r.onmi, did you mean "r.omni"?`,
			`w.toml:11:45: event[1].set_level: level = "pose": must be one of raw, ideal, features, objects, truth for kind omni`,
			`w.toml:13:1: event[2]: at_s = -1: must lie in [0, 1000000]`,
			`w.toml:16:11: event[3].place: name = "bal": is neither ball, robot nor obstacle`,
			`w.toml:17:1: event[4]: an event without a name needs one action of drive, follow, play`,
			`w.toml:18:1: event[5]: has kick and place: an event needs one action`,
			`w.toml:22:1: event[6]: set`,
		}},
		{"broken sensors", head + robot + "[[event]]\nbreak_sensor = { robot = \"r\", sensor = \"odometry\", fault = " +
			"\"black\" }\n[[event]]\nbreak_sensor = { robot = \"r\", sensor = \"omni\", fault = \"blak\" " +
			"}\n[[event]]\nheal_sensor = { robot = \"r\", sensor = \"omi\" }\n[[event]]\nbreak_sensor = { robot " +
			"= \"r\", sensor = \"omni\" }\n", []string{
			`w.toml:7:52: event[0].break_sensor: fault = "black": must be one of [freeze off] for kind odometry`,
			`w.toml:9:48: event[1].break_sensor: fault = "blak": must be one of freeze, black, noise, off; did you mean black?`,
			`w.toml:11:30: event[2].heal_sensor: sensor = "omi": there is no sensor r.omi, did you mean "r.omni"?`,
			`w.toml:13:1: event[3].break_sensor: fault: must be given`,
		}},
		{"speeds", head + robot + "[[event]]\nset_speed = { speed = \"fast\" }\n[[event]]\nset_speed = { speed = " +
			"\"lockstep\" }\n[[event]]\nset_speed = { speed = \"2.5\" }\n[[event]]\nset_speed = {}\n", []string{
			`w.toml:7:15: event[0].set_speed: speed = "fast": must be "realtime", "max", "steady", "lockstep" or a factor`,
			`w.toml:9:15: event[1].set_speed: speed = "lockstep": needs [[time.wait_for]]`,
			`w.toml:13:1: event[3].set_speed: speed: must be given`,
		}},
		{"game commands", head + robot + "[[event]]\ngame_command = { command = \"kickoff\" " +
			"}\n[[event]]\ngame_command = { command = \"stop\", team = \"cyan\" }\n[[event]]\ngame_command = { " +
			"command = \"drop_ball\" }\n[[event]]\ngame_command = { command = \"corner\", team = \"magenta\" " +
			"}\n[[event]]\ngame_command = { command = \"play\" }\n[[event]]\ngame_command = { command = " +
			"\"repair\", team = \"cyan\" }\n[[event]]\ngame_command = { command = \"repair\", team = " +
			"\"magenta\", number = 2 }\n[[event]]\ngame_command = { command = \"stop\", number = 2 }\n",
			[]string{
				`w.toml:7:1: event[0].game_command: team = "": must be cyan or magenta with command kickoff`,
				`w.toml:9:36: event[1].game_command: team = "cyan": command stop is for both teams`,
				`w.toml:15:18: event[4].game_command: command = "play": must be one of start, stop, drop_ball`,
				`w.toml:17:1: event[5].game_command: number = 0: must be a robot's with command repair`,
				`w.toml:19:56: event[6].game_command: number = 2: magenta has no robot of that number`,
				`w.toml:21:36: event[7].game_command: number = 2: command stop is for no single robot`,
			}},
		{"send-off of any team", head + robot + "[[event]]\nsend_off = { robot = \"r\" }\n[[event]]\nsend_off = { " +
			"robot = \"r\", team = \"blue\" }\n", []string{
			`w.toml:9:27: event[1].send_off: team = "blue": must be one of cyan, magenta`,
		}},
		{"places, reaches and lobs", head + robot + "[[event]]\nsend_off = { robot = \"r\", y_m = -8 " +
			"}\n[[event]]\nkick = { robot = \"r\", way = \"lob\", lob_elevation_deg = 90 }\n" +
			"[[event]]\nkick = { robot = \"r\", way = \"flat\", reach_m = 3 }\n[[event]]\nkick = { robot = \"r\", " +
			"way = \"flat\", reach_angle_deg = 10 }\n" +
			"[[event]]\ndribble = { robot = \"r\", reach_angle_deg = 10 }\n[[event]]\nset_ball_handling = { robot = " +
			"\"q\" }\n[[event]]\nset_ball_handling = { team = \"red\", enable = true }\n", []string{
			`w.toml:7:27: event[0].send_off: y_m = -8: needs spacing_m`,
			`w.toml:9:36: event[1].kick: lob_elevation_deg = 90: must lie in [0, 90)`,
			`w.toml:11:37: event[2].kick: reach_m = 3: must lie in [0, 2]`,
			`w.toml:13:37: event[3].kick: reach_angle_deg = 10: needs reach_m`,
			`w.toml:15:26: event[4].dribble: reach_angle_deg = 10: needs reach_m`,
			`w.toml:17:23: event[5].set_ball_handling: robot = "q": there is no such robot`,
			`w.toml:19:23: event[6].set_ball_handling: team = "red": must be one of cyan, magenta`,
		}},
		{"parts of a robot that it lacks", head + "[[robot]]\nname = \"m\"\nmodel = \"mecanum\"\n[[event]]\nkick = { " +
			"robot = \"m\", way = \"lob\" }\n[[event]]\ndribble = { robot = \"m\", enable = true }\n" +
			"[[robot]]\nname = \"s\"\nmodel = \"nubto\"\n[[event]]\nkick = { robot = \"s\", way = \"lob\" " +
			"}\n[[event]]\nextend = { robot = \"s\", to = \"up\" }\n", []string{
			`w.toml:7:10: event[0].kick: robot = "m": has no kicker`,
			`w.toml:9:13: event[1].dribble: robot = "m": has no dribbler`,
			`w.toml:12:1: robot[1]: model = "nubto": is no robot model`,
		}},
		{"keys without a default", head + "[[robot]]\nname = \"m\"\nmodel = \"mecanum\"\nkicker = { charge_s = 1 " +
			"}\ndribbler = { reach_m = 0.1 }\n[[robot.sensor]]\nname = \"scan\"\nkind = \"laser\"\nlaser = { band = " +
			"[{ statistical_m = 0.01 }] }\n" +
			"[[robot]]\nname = \"s\"\nmodel = \"nubto\"\nkicker = { charge_s = 1 }\ndribbler = { reach_m = 0.1 }\n",
			[]string{
				`w.toml:6:1: robot[0].kicker: max_speed_m_s: must be given`,
				`w.toml:6:1: robot[0].kicker: lob_angle_deg: must be given`,
				`w.toml:7:1: robot[0].dribbler: max_angle_deg: must be given`,
				`w.toml:11:19: robot[0].sensor[1].laser.band[0]: up_to_m: must be given`,
				`w.toml:14:1: robot[1]: model = "nubto": is no robot model`,
			}},
		{"profile of a kind without any", head + robot + "[[robot.sensor]]\nname = \"sonar\"\nkind = " +
			"\"sonar\"\nprofile = \"hc-sr04\"\n", []string{
			`w.toml:9:1: robot[0].sensor[4]: profile = "hc-sr04": kind sonar has no profiles`,
		}},
		{"gaze", head + robot + "[[event]]\nset_head_mode = { robot = \"r\", sensor = \"omni\", mode = \"track\" " +
			"}\n[[robot.sensor]]\nname = \"front\"\nhead = { }\n[[event]]\nlook_at = { robot = \"r\", sensor = " +
			"\"front\", x_m = 2000 }\n[[event]]\nset_head_mode = { robot = \"r\", sensor = \"front\", mode = " +
			"\"stare\" }\n", []string{
			`w.toml:7:32: event[0].set_head_mode: sensor = "omni": has no head to turn`,
			`w.toml:12:44: event[1].look_at: x_m = 2000: must lie in [-1000, 1000]`,
			`w.toml:14:50: event[2].set_head_mode: mode = "stare": must be one of hold, search, track`,
		}},
		{"lens", head + robot + "[[robot.sensor]]\nname = \"front\"\nimage = { fov_deg = 200 " +
			"}\n[[robot.sensor]]\nname = \"wide\"\nkind = \"camera\"\nlens = { model = \"fisheye\", p = [0.1] }\n",
			[]string{
				`w.toml:8:11: robot[0].sensor[1]: image.fov_deg = 200: must be at most 160 unless the lens is a fisheye or unified`,
				`w.toml:12:1: robot[0].sensor[4]: lens = { model = "fisheye", p = [0.1] }: p must be p1 and p2, and is not for fisheye`,
			}},
		{"more pictures than a picture is worth", head + robot + "[[robot.sensor]]\nname = \"front\"\nshutter = { " +
			"exposure_ms = 10, samples = 64 }\nfocus = { distance_m = 1, focal_length_mm = 8, f_number = 1.4, " +
			"samples = 256 }\n", []string{
			`w.toml:8:31: robot[0].sensor[1]: shutter.samples = 64: one picture is made of 16384 of 640 × 480 pixels: must be at most 134217728 pixels together`,
		}},
		{"more robots than there may be", head + numbered(9000, "[[robot]]\nname = \"r%d\"\nmodel = \"nubot\"\n"),
			[]string{
				`w.toml:3:1: robot: must have at most 500 elements, has 9000`,
			}},
		{"more sensors than there may be", head + robot + numbered(100,
			"[[robot.sensor]]\nname = \"imu%d\"\nkind = \"imu\"\n"), []string{
			`w.toml:6:1: robot[0]: sensor: must have at most 64 elements, has 104`,
		}},
		{"mirror", head + robot + "[[robot.sensor]]\nname = \"omni\"\nmirror = { profile = \"spherical\", radius_m = " +
			"0.03 }\n[[robot.sensor]]\nname = \"eye\"\nkind = \"omni\"\nmirror = { profile = \"spherical\", radius_m " +
			"= 0.03, distance_m = 0.1 }\n[[robot.sensor]]\nname = \"floor\"\nkind = \"omni\"\nmirror = { profile " +
			"= \"isometric\", scale_m_px = 0.02, distance_m = 0.07 }\n", []string{
			`w.toml:8:1: robot[0].sensor[0]: mirror = { profile = "spherical", radius_m = 0.03 }: distance_m must be positive for profile spherical`,
			`w.toml:12:1: robot[0].sensor[4]: mirror = { profile = "spherical", radius_m = 0.03, distance_m = 0.1 }: the mirror folds the image`,
			`w.toml:16:1: robot[0].sensor[5]: mirror = { profile = "isometric", scale_m_px = 0.02, distance_m = 0.…: mount.z_m must be positive for profile isometric`,
		}},
		{"board", head + robot + "[[board]]\nname = \"b\"\ncolumns = 1\n[[event]]\nplace = { name = \"b\", x_m = 1 " +
			"}\n[[event]]\nhang = { name = \"r\", x_m = 1 }\n", []string{
			`w.toml:8:1: board[0]: columns = 1: must lie in [2, 50]`,
			`w.toml:10:11: event[0].place: name = "b": is neither ball, robot nor obstacle`,
			`w.toml:12:10: event[1].hang: name = "r": there is no such board`,
		}},
		{"light", head + robot + "[hall]\ncarpet_color = \"green\"\n[ball]\ncolor = 3\n[[light.spot]]\nname = " +
			"\"l\"\n[[light.spot]]\nname = \"l\"\n" +
			"[[event]]\nset_light = { ambient = 5 }\n[[event]]\nset_light = { over_s = 2 }\n[[event]]\nset_lamp = { " +
			"name = \"m\", amount = 1 }\n" +
			"[[event]]\nset_ball_color = { color = \"#12345\" }\n[[event]]\nset_carpet_color = { colour = " +
			"\"#123456\" }\n", []string{
			`w.toml:7:1: hall: carpet_color = "green": must be red, green and blue, two hexadecimal digits each, as in "#ff8000"`,
			`w.toml:9:1: ball: color = 3: must be red, green and blue, two hexadecimal digits each, as in "#ff8000"`,
			`w.toml:13:1: light.spot[1]: name = "l": is already the name of light.spot[0]`,
			`w.toml:15:15: event[0].set_light: ambient = 5: must lie in [0, 4]`,
			`w.toml:17:1: event[1].set_light: changes nothing: it needs a key of the light`,
			`w.toml:19:14: event[2].set_lamp: name = "m": there is no such lamp among [[light.spot]]`,
			`w.toml:21:20: event[3].set_ball_color: color = "#12345": must be red, green and blue, two hexadecimal digits each, as in "#ff8000"`,
			`w.toml:23:1: event[4].set_carpet_color: color: must be given`,
			`w.toml:23:22: event[4].set_carpet_color: colour = "#123456": unknown key; did you mean color?`,
		}},
		{"speed", head + robot + "[time]\nspeed = \"warp\"\n", []string{
			`w.toml:7:1: time: speed = "warp": must be "realtime", "max", "steady", "lockstep" or a factor in (0, 1000000]`,
		}},
		{"lockstep with nobody", head + robot + "[time]\nspeed = \"lockstep\"\n", []string{
			`w.toml:7:1: time: speed = "lockstep": needs [[time.wait_for]]: no robot is waited for`,
		}},
		{"waiting", head + robot + "[[time.wait_for]]\nrobot = \"nobody\"\n[[time.wait_for]]\nrobot = \"r\"\nafter = " +
			"\"sonar\"\nrate_hz = 5\n", []string{
			`w.toml:7:1: time.wait_for[0]: robot = "nobody": there is no such robot`,
			`w.toml:10:1: time.wait_for[1]: after = "sonar": robot r has no such sensor`,
			`w.toml:11:1: time.wait_for[1]: rate_hz = 5: is the clock's; after names a sensor, which has its own`,
		}},
		{"waiting by the clock", head + robot + "[time]\nclock_hz = 20\n[[time.wait_for]]\nrobot = \"r\"\nrate_hz = " +
			"50\n", []string{
			`w.toml:10:1: time.wait_for[0]: rate_hz = 50: the clock that is to be answered comes at clock_hz = 20`,
		}},
		{"waiting for all", head + robot + "[[time.wait_for]]\nrobot = \"r\"\nafter = \"omni\"\nrate_hz = 5\norder = " +
			"\"all\"\n[[time.wait_for]]\nrobot = \"r\"\n", []string{
			`w.toml:8:1: time.wait_for[0]: after = "omni": goes with order = "answers" alone: with "all" every message is waited for`,
			`w.toml:9:1: time.wait_for[0]: rate_hz = 5: is the clock's`,
			`w.toml:9:1: time.wait_for[0]: rate_hz = 5: goes with order = "answers" alone`,
			`w.toml:10:1: time.wait_for[0]: order = "all": robot r is waited for by time.wait_for[1] too`,
		}},
		{"an answer while all is waited for", head + robot + "[[time.wait_for]]\nrobot = \"r\"\norder = " +
			"\"all\"\nanswer = \"command\"\n", []string{
			`w.toml:9:1: time.wait_for[0]: answer = "command": goes with order = "answers" alone: with "all" every message is acknowledged`,
		}},
		{"order", head + robot + "[[time.wait_for]]\nrobot = \"r\"\norder = \"most\"\n", []string{
			`w.toml:8:1: time.wait_for[0]: order = "most": must be one of answers, all`,
		}},
		{"syntax", "name = \n", []string{`w.toml:1:8: unexpected character U+000A at start of value`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse("w.toml", []byte(c.text))
			got := lines(err)
			if len(got) != len(c.want) {
				t.Fatalf("got %d errors:\n%s", len(got), strings.Join(got, "\n"))
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got  %s\nwant %s", got[i], want)
				}
			}
		})
	}
}

// Rules of a robot's parts are in tags, which both the world and the physics check.
func TestBrokenRulesAreSaidOnce(t *testing.T) {
	w, err := Parse("w.toml", []byte(minimal+robot))
	if err != nil {
		t.Fatal(err)
	}
	w.Robots[0].Kicker.MaxSpeed, w.Robots[0].Dribbler.MaxAngle = 0, 0
	got := lines(w.Validate())
	want := []string{"robot[0].kicker.max_speed_m_s = 0: must lie in (0, 30]",
		"robot[0].dribbler.max_angle_deg = 0: must lie in (0, 180]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestATableStartsFromTheDefaultField(t *testing.T) {
	w, err := Parse("w.toml", []byte(minimal+"field = { length_m = 16 }\n"+robot))
	if err != nil {
		t.Fatal(err)
	}
	want := defaultField()
	want.Name, want.Length = "custom", 16
	if diff := cmp.Diff(want, w.Field); diff != "" {
		t.Error(diff)
	}
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
	w, err := Parse("w.toml", []byte(minimal+`field = "msl-18x12"
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
`))
	if err != nil {
		t.Fatal(err)
	}
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
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
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
	w, err := Load(top)
	if err != nil {
		t.Fatal(err)
	}
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
	if want := `world "nubot-atack": is no world that ships with omnipitch and no file, did you mean "nubot-attack"?`; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder, not a file") {
		t.Errorf("got %v", err)
	}
	if _, err := Load("no/such.toml"); err == nil || !strings.Contains(err.Error(), "no such file: no/such.toml") {
		t.Errorf("got %v", err)
	}
}

func TestAPathBeatsAName(t *testing.T) {
	dir := t.TempDir()
	text, err := shipped.ReadFile("nubot-attack.toml")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b, cmpopts.IgnoreUnexported(World{})); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range worldFiles.names() {
		data, err := shipped.ReadFile(name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
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
