package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// format is the format of a topic's images.
type format struct {
	encoding            string
	width, height, step int
}

var (
	omni  = format{"rgb8", 640, 640, 1920}
	front = format{"rgb8", 640, 480, 1920}
	rgb   = format{"rgb8", 512, 424, 1536}
	depth = format{"16UC1", 512, 424, 1024}
)

// pictures are all image topics of nubot-attack.
var pictures = map[string]format{
	"/cyan1/camera/image_raw":                omni,
	"/cyan1/front_vision/image_raw":          front,
	"/magenta1/kinect_left/rgb/image_raw":    rgb,
	"/magenta1/kinect_left/depth/image_raw":  depth,
	"/magenta1/kinect_right/rgb/image_raw":   rgb,
	"/magenta1/kinect_right/depth/image_raw": depth,
}

func topicsWith(part string) []string {
	var list []string
	for topic := range pictures {
		if strings.Contains(topic, part) {
			list = append(list, topic)
		}
	}
	slices.Sort(list)
	return list
}

// Properties of nubot-attack's sensors: the step, the rate, and the time from capture to delivery.
const (
	simStep = 5 * time.Millisecond
	rate    = 30
	latency = 33 * time.Millisecond
)

// checkFrames checks the images that a peer received on a topic. The run ended at sim time end.
func checkFrames(t *testing.T, topic string, got []frame, end time.Duration) {
	t.Helper()
	want, before := pictures[topic], time.Duration(-1)
	var ages []time.Duration
	for _, m := range got {
		if f := (format{m.encoding, m.width, m.height, m.step}); f != want || m.bytes != m.height*m.step {
			t.Fatalf("%s: image is %+v with %d bytes, want %+v", topic, f, m.bytes, want)
		}
		if m.stamp <= before || m.stamp%simStep != 0 || m.stamp > end {
			t.Fatalf("%s: stamp %v after %v: must grow, be a step, and lie before the end of the run at %v", topic,
				m.stamp, before, end)
		}
		before = m.stamp
		ages = append(ages, m.now-m.stamp)
	}
	slices.Sort(ages)
	// The peer's clock uses a separate connection and may be a step or two behind the image.
	if median := ages[len(ages)/2]; median < latency-2*simStep || median > time.Second {
		t.Errorf("%s: frames come %v after their stamps by the peer's clock, want %v and what the way takes", topic,
			median, latency)
	}
}

// checkRate counts frames between two sim times: 30 per second, plus or minus one.
func checkRate(t *testing.T, who, topic string, got []frame, from, to time.Duration) {
	t.Helper()
	n := 0
	for _, m := range got {
		if from <= m.stamp && m.stamp < to {
			n++
		}
	}
	seconds := (to - from).Seconds()
	if hz := float64(n) / seconds; !(hz >= rate-1) || !(hz <= rate+1) {
		t.Errorf("%s: %s: %d frames in %.2f s of sim time, %.1f Hz, want %d ± 1", who, topic, n, seconds, hz, rate)
	}
}

// TestImages checks that both client libraries receive every frame of all cameras, at the camera rate in sim time.
func TestImages(t *testing.T) {
	masters(t, func(t *testing.T, uri, kind string) {
		sim := simulateWorld(t, uri, "plain-light", "--ros1", kind) // for speed
		peers := map[string]struct {
			*process
			topics []string
		}{
			"roscpp": {roscpp(t, uri, append([]string{"watch", "2"}, topicsWith("")...)...), topicsWith("")},
			"rospy":  {rospy(t, uri, append([]string{"watch", "2"}, topicsWith("depth")...)...), topicsWith("depth")},
		}
		for _, p := range peers {
			p.end()
		}
		sum := sim.interrupt()
		for who, p := range peers {
			from := time.Duration(0)
			for _, topic := range p.topics {
				from = max(from, p.seen(topic)[0].stamp)
			}
			for _, topic := range p.topics {
				checkFrames(t, topic, p.seen(topic), time.Duration(sum.Sim*float64(time.Second)))
				checkRate(t, who, topic, p.seen(topic), from, from+2*time.Second)
			}
		}
		t.Logf("real-time factor %.2f with eight image streams", sum.Factor)
	})
}

// TestStoppedSubscriber stops a subscriber to all images. It must not slow the run or another subscriber, and must
// receive the newest frames when it resumes.
func TestStoppedSubscriber(t *testing.T) {
	needROS(t)
	uri, _ := freeMaster(t)
	// Plain light and one camera less leave time for three processes.
	sim := simulateWorld(t, uri, "plain-light", "--level", "cyan1.omni=objects")
	all := slices.DeleteFunc(topicsWith(""), func(s string) bool { return pictures[s] == omni })
	watch := append([]string{"watch", "0"}, all...)
	sleeper, other := roscpp(t, uri, watch...), roscpp(t, uri, watch...)
	newest := func(p *process) time.Duration { // over all topics
		stamp := time.Duration(1 << 62)
		for _, topic := range all {
			stamp = min(stamp, p.last(topic))
		}
		return stamp
	}
	until(t, "both to see all images", func() bool { return newest(sleeper) > 0 && newest(other) > 0 })
	sleeper.signal(syscall.SIGSTOP)
	stopped := newest(other)
	const pause = 2 * time.Second
	until(t, "the run to go on", func() bool { return newest(other) > stopped+pause })
	wake := newest(other)
	sleeper.signal(syscall.SIGCONT)
	until(t, "the stopped one to see new frames", func() bool { return newest(sleeper) > wake })
	sum := sim.interrupt()
	end := time.Duration(sum.Sim * float64(time.Second))
	for _, topic := range all {
		checkRate(t, "other", topic, other.seen(topic), stopped, stopped+pause)
		checkFrames(t, topic, other.seen(topic), end)
		gap, before := time.Duration(0), sleeper.seen(topic)[0].stamp
		for _, m := range sleeper.seen(topic) {
			gap, before = max(gap, m.stamp-before), m.stamp
		}
		// Data in the system's socket buffers arrives first. Images captured after these were full are dropped, except
		// for the two newest.
		if gap < pause/4 {
			t.Errorf("%s: the longest gap of the stopped subscriber is %v: old frames were kept for it", topic, gap)
		}
	}
	t.Logf("real-time factor %.2f with a subscriber that stood still", sum.Factor)
}

// TestAttack runs a robot's program that fetches the ball and scores past the goalkeeper. It uses the reports of the
// simulated vision and the pixels of the front camera.
func TestAttack(t *testing.T) {
	needROS(t)
	for _, kind := range []string{"embedded", "external"} {
		t.Run("rospy by objects, "+kind, func(t *testing.T) {
			needLong(t, "verify-long")
			t.Parallel() // waits for real time
			uri, dir := masterOf(t, kind), t.TempDir()
			sim := simulate(t, uri, "--ros1", kind, "--out", dir, "--level", "*=objects")
			rospy(t, uri, "attack").end()
			checkGoal(t, dir, sim.interrupt())
		})
	}
	t.Run("roscpp by pixels", func(t *testing.T) {
		t.Parallel()
		uri, dir := masterOf(t, "embedded"), t.TempDir()
		sim := simulate(t, uri, "--out", dir, "--level", "*=objects", "--level", "cyan1.front=raw")
		// The pose at which nubot-attack puts cyan1.
		robot := roscpp(t, uri, "attack", "0.5", "-0.5", "0.2618", "9", "-0.6")
		robot.end()
		sum := sim.interrupt()
		checkGoal(t, dir, sum)
		const topic = "/cyan1/front_vision/image_raw"
		checkFrames(t, topic, robot.seen(topic), time.Duration(sum.Sim*float64(time.Second)))
	})
}

// checkGoal checks in the ground truth that cyan scored, and that the ball was first held and then kicked.
func checkGoal(t *testing.T, dir string, sum runSummary) {
	t.Helper()
	f := must.Get(os.Open(filepath.Join(dir, "truth.jsonl")))(t)
	defer f.Close()
	steps := int64(-1) // the first line is time 0
	var held, scored, fastest float64
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var now fileTruth
		must.Do(t, json.Unmarshal(lines.Bytes(), &now))
		if steps++; now.Step != steps {
			t.Fatalf("line %d of the truth is step %d", steps+1, now.Step)
		}
		if held == 0 && now.Ball.HeldBy == "cyan1" {
			held = now.Time
		}
		if scored == 0 && now.Ball.InGoal == "cyan" {
			scored = now.Time
		}
		fastest = max(fastest, now.Ball.Velocity.Len())
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	if steps != sum.Steps {
		t.Errorf("truth of %d steps, the run had %d", steps, sum.Steps)
	}
	// A little slower than the requested kick, by a step of sliding friction.
	if held == 0 || !(scored > held) || !(scored <= 15) || !(fastest >= 9.8) || !(fastest <= 10.1) {
		t.Errorf("held at %v s, in the goal of magenta at %v s, fastest ball %v m/s; want both within 15 s, 10 m/s",
			held, scored, fastest)
	}
	t.Logf("held at %.2f s, scored at %.2f s, real-time factor %.2f", held, scored, sum.Factor)
}

const (
	debianPython = "/usr/bin/python3" // another python on the PATH has no rospy
	definitions  = "../../robotio/msg/defs"
)

// frame is the report of a peer about one received image.
type frame struct {
	stamp, now          time.Duration // now is the sim time of the peer
	encoding            string
	width, height, step int
	bytes               int
}

// parseImage reads a peer's line "image TOPIC STAMP_NS NOW_NS ENCODING WIDTH HEIGHT STEP BYTES".
func parseImage(line string) (topic string, m frame, ok bool) {
	_, err := fmt.Sscanf(line, "image %s %d %d %s %d %d %d %d", &topic, &m.stamp, &m.now, &m.encoding, &m.width,
		&m.height, &m.step, &m.bytes)
	return topic, m, err == nil
}

// needROS skips a test on machines without Debian's ROS 1. It builds the C++ robot before any simulation runs.
func needROS(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts ROS programs")
	}
	if err := findROS(); err != nil {
		t.Skipf("%v: run ./install.sh --test", err)
	}
	must.Get(buildRoscpp())(t)
}

var findROS = sync.OnceValue(func() error {
	if err := exec.Command(debianPython, "-c", "import rospy, rosmaster, gencpp, sensor_msgs.msg").Run(); err != nil {
		return fmt.Errorf("no rospy here")
	}
	if err := exec.Command("pkg-config", "--exists", "roscpp").Run(); err != nil {
		return fmt.Errorf("no roscpp here")
	}
	return nil
})

var buildRoscpp = sync.OnceValues(func() (string, error) {
	headers, path := filepath.Join(built, "include"), filepath.Join(built, "attacker")
	out, err := exec.Command(debianPython, "../../testdata/roscpp/generate.py", headers, definitions+"/std",
		definitions+"/nubot").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gencpp: %w\n%s", err, out)
	}
	flags, err := exec.Command("pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		return "", fmt.Errorf("pkg-config roscpp: %w", err)
	}
	args := append([]string{"-std=c++17", "-O0", "-Wall", "-I" + headers, "../../testdata/roscpp/attacker.cpp", "-o",
		path}, strings.Fields(string(flags))...)
	if out, err = exec.Command("g++", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("g++: %w\n%s", err, out)
	}
	return path, nil
})

// roscpp starts the C++ program of a robot.
func roscpp(t testing.TB, uri string, args ...string) *process {
	t.Helper()
	path, _ := buildRoscpp() // needROS has checked the error
	return start(t, uri, append([]string{path}, args...)...)
}

// rospy starts the Python program of a robot.
func rospy(t testing.TB, uri string, args ...string) *process {
	t.Helper()
	return start(t, uri, append([]string{debianPython, "../../testdata/rospy/attacker.py", definitions + "/nubot"},
		args...)...)
}

// masters runs a test with the embedded master, and with -long also with ROS's own.
func masters(t *testing.T, f func(t *testing.T, uri, kind string)) {
	needROS(t)
	kinds := []string{"embedded"}
	if *long {
		kinds = append(kinds, "external")
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) { f(t, masterOf(t, kind), kind) })
	}
}

// masterOf returns the address of a master of a kind: a free one for "embedded", or ROS's own for "external".
func masterOf(t *testing.T, kind string) string {
	t.Helper()
	uri, port := freeMaster(t)
	if kind == "external" {
		start(t, uri, "/usr/bin/rosmaster", "--core", "-p", port)
		until(t, "rosmaster", func() bool {
			conn, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err == nil {
				conn.Close()
			}
			return err == nil
		})
	}
	return uri
}
