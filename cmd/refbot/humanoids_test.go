package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/omnipitch/omnipitch"
	"github.com/omnipitch/omnipitch/abstraction"
	"github.com/omnipitch/omnipitch/cmd/refbot/seat"
	"github.com/omnipitch/omnipitch/cmd/refbot/vision"
	"github.com/omnipitch/omnipitch/cmd/refbot/wire"
	"github.com/omnipitch/omnipitch/physics"
	"github.com/omnipitch/omnipitch/render/calibration"
	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/testdata/must"
	"github.com/omnipitch/omnipitch/timesync"
	"github.com/omnipitch/omnipitch/worlds"
	"github.com/omnipitch/omnipitch/worlds/expectation"
)

const humanoids = "hsl-refbot"

// A match of humanoids ends in the same state over ROS, when it is repeated, and without any wire.
func TestHumanoidsRepeat(t *testing.T) {
	const span = 20 * time.Second
	w := load(t, humanoids, 1)
	want := must.Get(seat.Play(t.Context(), w, span, seat.Humanoids(len(w.Robots)), nil))(t).Hash
	for range 2 {
		if got := simulate(t, load(t, humanoids, 1), span).Hash; got != want {
			t.Errorf("state %016x over ROS, and %016x without", got, want)
		}
	}
}

// Humanoids play by what the cameras in their heads show: a shortened match has a kick-off and a kick. In a whole one
// all of the world's expectations hold, and all robots but the goalkeepers kick.
func TestHumanoidsPlay(t *testing.T) {
	for seed := 1; seed <= *matchSeeds; seed++ {
		w := load(t, humanoids, seed)
		span := 10 * *matchFor
		var sim *omnipitch.Sim
		report := must.Get(seat.Play(t.Context(), w, span, seat.Humanoids(len(w.Robots)),
			func(s *omnipitch.Sim) { sim = s }))(t)
		kicks := 0
		for i := range sim.Truth().Robots {
			r := &sim.Truth().Robots[i]
			kicks += r.Kicks
			if span >= w.Test.For && r.Kicks == 0 && w.Robots[i].Number != 1 {
				t.Errorf("seed %d: %s never kicks", seed, w.Robots[i].Name)
			}
		}
		game := report.Game
		t.Logf("seed %d: %d : %d, %d kicks, in play %.0f %%, real-time factor %.1f, state %016x", seed, game.Score.Cyan,
			game.Score.Magenta, kicks, 100*game.Tally.Share(), report.Factor(), report.Hash)
		if kicks == 0 {
			t.Errorf("seed %d: no robot kicks within %v", seed, span)
		}
		for _, v := range report.Verdicts {
			if v.Outcome == expectation.Failed || v.Outcome == expectation.Undecided && span >= w.Test.For {
				t.Errorf("seed %d: %v", seed, v)
			}
		}
	}
}

// rawHeads returns the world of the match in which the cameras of a team's robots are at level raw.
func rawHeads(t *testing.T, seed int, team physics.Team) *worlds.World {
	w := load(t, humanoids, seed)
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if s := &w.Robots[i].Sensors[k]; s.Name == "camera" && w.Robots[i].Team == team {
				s.Level = abstraction.Raw
			}
		}
	}
	return w
}

// Humanoids of one team play by the raw images of the cameras in their heads. In a shortened match all know where they
// are; in a whole one, they kick, those that never leave the field know poses that are right, and all know
// theirs for 95 % of the time.
func TestHumanoidsByImages(t *testing.T) {
	w := rawHeads(t, 1, physics.Cyan)
	colors := must.Get(readColors(byHand(t, calibration.BGR), vision.BGR))(t)
	players, heads := seat.Humanoids(len(w.Robots)), make([]*vision.ColorTable, len(w.Robots))
	for i := range heads {
		if w.Robots[i].Team == physics.Cyan {
			heads[i] = colors
		}
	}
	worst, kicks, steps, wrong := 0.0, 0, 0, 0
	left := make([]bool, len(w.Robots)) // the robot has been off the field
	report := must.Get(seat.PlayByImages(t.Context(), w, *matchFor/2, players, seat.Images{Heads: heads},
		func(sim *omnipitch.Sim) {
			sim.OnStep(func(s *physics.Snapshot) {
				kicks = 0
				for i, r := range sim.Match().Standings() {
					if heads[i] == nil {
						continue
					}
					kicks += s.Robots[i].Kicks
					left[i] = left[i] || r.Out != ""
					if r.Out != "" || s.Time < time.Second {
						continue
					}
					steps++
					var m msg.PoseStamped
					at, off := s.Robots[i].PoseWB.Pos, math.Inf(1)
					if players[i].Pose(&m) {
						off = math.Hypot(m.Pose.Position.X-at[0], m.Pose.Position.Y-at[1])
						if !left[i] {
							worst = max(worst, off)
						}
					}
					if !(off < 0.5) {
						wrong++
					}
				}
			})
		}))(t)
	share := float64(wrong) / float64(steps)
	t.Logf("%d : %d, %d kicks by images, positions within %.2f m, unknown or wrong for %.3f, real-time factor %.2f",
		report.Game.Score.Cyan, report.Game.Score.Magenta, kicks, worst, share, report.Factor())
	whole := *matchFor >= time.Minute
	if whole && kicks == 0 || !whole && wrong > 0 || !(worst < 0.5) || !(share < 0.05) {
		t.Errorf("positions are wrong by up to %.2f m, for %.3f of the time, and there are %d kicks", worst, share, kicks)
	}
}

// rawMatch returns the match in which cyan sees by raw images, with the robots' programs. Their colour table is a file.
// In a shortened match, only cyan2 sees by images.
func rawMatch(t *testing.T, table string) *worlds.World {
	w := load(t, "worlds/raw/hsl-raw.toml", 1)
	joints, _ := w.Joints(0)
	neck := joints[slices.IndexFunc(joints, func(j physics.Joint) bool { return j.Name == "head_pitch" })].PointB
	byImages := append(w.Programs[0].Command, "--front-color-table", table,
		fmt.Sprintf("--neck=head_yaw,head_pitch,%v,%v", neck[0], neck[2]))
	byImages[slices.Index(byImages, "--calibration")+1] = t.TempDir()
	w.Programs[0].Command = byImages
	if *matchFor >= time.Minute {
		return w
	}
	byImages[slices.Index(byImages, "--robots")+1] = "cyan2"
	for i := len(byImages) - 2; i >= 0; i-- {
		if byImages[i] == "--start" && !strings.HasPrefix(byImages[i+1], "cyan2=") {
			byImages = slices.Delete(byImages, i, i+2)
		}
	}
	w.Programs[0].Command = byImages
	byObjects := w.Programs[1].Command
	byObjects[slices.Index(byObjects, "--robots")+1] = "cyan1,cyan3..4,magenta1..4"
	for i := range w.Robots {
		for k := range w.Robots[i].Sensors {
			if s := &w.Robots[i].Sensors[k]; s.Name == "camera" && w.Robots[i].Name != "cyan2" {
				s.Level = abstraction.Objects
			}
		}
	}
	return w
}

// A match of humanoids that see by raw images ends in the same state over ROS and in the same process; a long one does
// so again.
func TestHumanoidsByImagesRepeat(t *testing.T) {
	table, span, runs := byHand(t, calibration.BGR), *matchFor/3, 1
	if *matchFor >= time.Minute {
		runs = 2
	}
	w := rawMatch(t, table)
	colors := must.Get(readColors(table, vision.BGR))(t)
	heads := make([]*vision.ColorTable, len(w.Robots))
	for i := range heads {
		if s, _ := w.Sensor(w.Robots[i].Name, "camera"); s.Level == abstraction.Raw {
			heads[i] = colors
		}
	}
	want := must.Get(seat.PlayByImages(t.Context(), w, span, seat.Humanoids(len(w.Robots)), seat.Images{Heads: heads},
		nil))(t).Hash
	for range runs {
		if got := simulate(t, rawMatch(t, table), span).Hash; got != want {
			t.Errorf("state %016x over ROS, and %016x without", got, want)
		}
	}
}

// A humanoid without odometry, or without the joints of its neck, says what is missing, and ends.
func TestHumanoidsMissTopics(t *testing.T) {
	const rest = " with the first 30 messages of /cyan2/%s: the robot needs it; a simulation publishes it with " +
		"profile standard, "
	table := byHand(t, calibration.BGR)
	for flags, want := range map[string]string{
		"": "/cyan2/odom: no usable nav_msgs/Odometry" + fmt.Sprintf(rest, "perception") +
			"and a sensor of kind odometry",
		"--by-images --start=cyan2=0,0,0 --neck=neck,head_pitch,0,0.6 --calibration=" + t.TempDir() +
			" --front-color-table=" + table: "/cyan2/joint_states: no usable sensor_msgs/JointState" +
			fmt.Sprintf(rest, "camera/image_raw") + "and it must have the joints neck and head_pitch",
	} {
		w := rawMatch(t, table)
		w.Time.WaitFor = w.Time.WaitFor[1:2]
		w.Time.WaitFor[0].Order, w.Time.WaitFor[0].After = timesync.OrderAnswers, "camera"
		if flags == "" {
			w.Robots[1].ROS1.Profiles = []string{"refbot"}
			w.Robots[1].Sensors[0].Level = abstraction.Objects
		}
		sim, master, _ := bridged(t, w, omnipitch.Options{})
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		var c cli
		must.Get(must.Get(kong.New(&c))(t).Parse(append(strings.Fields(flags), "--robots=cyan2", "--league=humanoid",
			"--master="+master.URI())))(t)
		ended := make(chan error, 1)
		go func() {
			ended <- c.run(ctx)
			stop()
		}()
		_, _ = sim.Run(ctx, omnipitch.Pace{For: 5 * time.Second, Speed: timesync.Lockstep})
		if err := <-ended; err == nil || err.Error() != "robot /cyan2: "+want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A humanoid whose camera publishes nothing, or images of another format, says so, and ends.
func TestHumanoidsRefuseImages(t *testing.T) {
	master := must.Get(ros1.ListenMaster(ros1.MasterConfig{Addr: "127.0.0.1:0"}))(t)
	defer master.Close()
	driver, _, err := wire.NewNode("cyan2", "driver", master.URI(), "")
	must.Do(t, err)
	defer driver.Close()
	odom := must.Get(ros1.Advertise[msg.Odometry](driver, "/cyan2/odom", "nav_msgs/Odometry", ros1.PubOptions{}))(t)
	info := must.Get(ros1.Advertise[msg.CameraInfo](driver, "/cyan2/camera/camera_info", "sensor_msgs/CameraInfo",
		ros1.PubOptions{}))(t)
	images := must.Get(ros1.Advertise[msg.Image](driver, "/cyan2/camera/image_raw", "sensor_msgs/Image",
		ros1.PubOptions{}))(t)
	table := byHand(t, calibration.BGR)
	for want, publish := range map[string]func(){
		"camera/image_raw: no usable sensor_msgs/Image with the first 500 messages of /cyan2/odom": func() {
			odom.Publish(&msg.Odometry{})
		},
		`camera/image_raw: encoding, width, height, step = "bgr8", 64, 48, 192: must be "rgb8", 64, 48, 192`: func() {
			info.Publish(&msg.CameraInfo{Width: 64, Height: 48, DistortionModel: "plumb_bob", D: make([]float64, 5),
				K: [9]float64{50, 0, 32, 0, 50, 24, 0, 0, 1}})
			images.Publish(&msg.Image{Width: 64, Height: 48, Step: 192, Encoding: "bgr8", Data: make([]byte, 64*48*3)})
		},
	} {
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		var c cli
		must.Get(must.Get(kong.New(&c))(t).Parse([]string{"--by-images", "--calibration=" + t.TempDir(),
			"--front-color-table=" + table, "--robots=cyan2", "--league=humanoid", "--master=" + master.URI()}))(t)
		ended := make(chan error, 1)
		go func() { ended <- c.run(ctx) }()
		tick := time.NewTicker(2 * time.Millisecond)
		for done := false; !done; {
			select {
			case err := <-ended:
				if done = true; err == nil || !strings.Contains(err.Error(), "/cyan2/"+want) {
					t.Errorf("%v, want %s", err, want)
				}
			case <-tick.C:
				publish()
			}
		}
		tick.Stop()
		stop()
	}
}

// Flags that are not for humanoids, and wrong ones, are refused.
func TestHumanoidsRefuseFlags(t *testing.T) {
	folder := t.TempDir()
	sees := "--by-images --calibration=" + folder
	colored := sees + " --front-color-table=" + byHand(t, calibration.BGR)
	for flags, want := range map[string]string{
		"--strategy=flee":                                     "--strategy flee: is not for --league humanoid, which plays by cards or radio",
		"--calibration=x":                                     "--calibration: needs --by-images, with --league humanoid",
		"--kinect=front=0,0,0.5,0,0":                          "--kinect: is for robots on wheels, and not for --league humanoid",
		"--by-images":                                         "--by-images: needs --calibration",
		sees:                                                  "--calibration " + folder + ": has no cyan1/CTableBGR.dat, the colour table of the camera in the head",
		colored + " --start=1,2,3":                            `--start "1,2,3": must be NAME=X,Y,HEADING`,
		colored + " --start=cyan1=1,NaN,3":                    `--start "cyan1=1,NaN,3": "NaN": must be a number in [-360, 360]`,
		colored + " --neck=head_yaw,0,0.6":                    `--neck "head_yaw,0,0.6": must be PAN,TILT,X,HEIGHT`,
		colored + " --neck=,head_pitch,0,0.6":                 `--neck ",head_pitch,0,0.6": must be PAN,TILT,X,HEIGHT`,
		"--start=cyan1=0,0,0":                                 "--start: needs --by-images and --league humanoid",
		"--league=middle-size --neck=x,y":                     "--neck: needs --by-images and --league humanoid",
		"--head-camera=q":                                     "--head-camera: needs --by-images and --league humanoid",
		colored + " --mates=cyan":                             "--mates: is for robots on wheels, and not for --league humanoid",
		colored + " --color-table=x":                          "--color-table: is for robots on wheels, and not for --league humanoid",
		colored + " --start=cyan9=1,2,3":                      `--start "cyan9=1,2,3": must name a robot of --robots`,
		colored + " --start=cyan1=1,2,3 --start=/cyan1=1,2,4": `--start "/cyan1=1,2,4": cyan1 has another start`,
		colored + " --head-camera=camera,0,0":                 `--head-camera "camera,0,0": height 0: must lie in (0, 10]`,
	} {
		var c cli
		must.Get(must.Get(kong.New(&c))(t).Parse(append([]string{"--robots=cyan1", "--league=humanoid",
			"--master=http://127.0.0.1:1"}, strings.Fields(flags)...)))(t)
		if err := c.run(t.Context()); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", flags, err, want)
		}
	}
}
