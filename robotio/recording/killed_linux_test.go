package recording

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"golang.org/x/sys/unix"

	"github.com/omnipitch/omnipitch/robotio/aside"
	"github.com/omnipitch/omnipitch/robotio/web/webtest"
	"github.com/omnipitch/omnipitch/testdata/must"
)

var kills = flag.Int("recording.kills", 4, "at how many moments a writing process is killed")

// childEnv makes the test binary a process that writes a recording to the path in it.
const childEnv = "OMNIPITCH_TEST_RECORDS_TO"

// limitEnv limits the size of its files, bytes.
const limitEnv = "OMNIPITCH_TEST_FILE_LIMIT"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := record(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// record writes a recording until it is killed: messages with their numbers and the wall time, some of them large.
func record(path string) error {
	var limit uint64
	if _, err := fmt.Sscan(os.Getenv(limitEnv), &limit); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return err
		}
	}
	ended := make(chan error, 1)
	w, err := Create(path, Header{Library: "test", Attachments: []Attachment{{"world.toml", "application/toml",
		[]byte("x = 1")}}}, Options{Ended: func(err error) { ended <- err }})
	if err != nil {
		return err
	}
	a, err := w.Channel("/a", number, nil)
	b, err2 := w.Channel("/b", text, nil)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	noise := newNoise()
	fmt.Println("begun")
	for i := uint64(1); ; i++ {
		select {
		case err := <-ended:
			return fmt.Errorf("%w; %w", err, w.Close())
		case <-time.After(200 * time.Microsecond):
		}
		now := time.Duration(i) * time.Millisecond
		a.Write(now, now, le.AppendUint64(le.AppendUint64(nil, i), uint64(time.Now().UnixNano())))
		if i%50 == 0 {
			b.Write(now, now, noise.bytes(100_000))
		}
	}
}

// child starts a process that writes a recording, and waits until it has begun.
func child(t *testing.T, path string, env ...string) (cmd *exec.Cmd, out io.Reader) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(exe)
	cmd.Env = append(append(os.Environ(), childEnv+"="+path), env...)
	cmd.Stderr = os.Stderr
	out, err = cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if b := make([]byte, len("begun\n")); true {
		if _, err := io.ReadFull(out, b); err != nil || string(b) != "begun\n" {
			t.Fatalf("the process begins with %q, %v", b, err)
		}
	}
	return cmd, out
}

// killed reads the file of a killed process, which must have all messages up to some number. It returns the number of
// messages and the wall time of the last numbered one.
func killed(t *testing.T, path string) (messages int, last time.Time) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an incomplete recording has its final name: %v", err)
	}
	r := must.Get(Open(path + aside.Suffix))(t)
	defer r.Close()
	must.Fail(t, r.Damage(), "is incomplete", "damage")
	if a, err := r.Attachment("world.toml"); err != nil || string(a.Data) != "x = 1" {
		t.Errorf("attachment %q, %v", a.Data, err)
	}
	m, number := r.Messages(0, nil), uint64(0)
	for {
		x, err := m.Next()
		if err == io.EOF {
			return messages, last
		}
		if err != nil {
			t.Fatal(err)
		}
		if messages++; x.Channel.Topic == "/a" {
			if number++; le.Uint64(x.Data) != number {
				t.Fatalf("message %d follows %d", le.Uint64(x.Data), number-1)
			}
			last = time.Unix(0, int64(le.Uint64(x.Data[8:])))
		}
	}
}

// After a process is killed at a random moment, our reader and Foxglove's read everything but the last second.
func TestKilledAtRandomMoments(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	var (
		mu    sync.Mutex
		worst time.Duration
		paths []string
		want  []string
	)
	const together = 4
	places := make(chan struct{}, together)
	var wait sync.WaitGroup
	for i := range *kills {
		moment := time.Second + time.Duration(rnd.Int64N(int64(2*time.Second)))
		places <- struct{}{}
		wait.Go(func() {
			defer func() { <-places }()
			path := filepath.Join(dir, fmt.Sprintf("%d.mcap", i))
			cmd, _ := child(t, path)
			time.Sleep(moment)
			at := time.Now()
			if err := cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait()
			messages, last := killed(t, path)
			mu.Lock()
			defer mu.Unlock()
			worst = max(worst, at.Sub(last))
			paths = append(paths, path+aside.Suffix)
			want = append(want, fmt.Sprintf("%s: %d messages, 2 channels, 1 attachments, ended false, indexed none",
				path+aside.Suffix, messages))
		})
	}
	wait.Wait()
	t.Logf("of %d processes killed, the worst lost the last %v", *kills, worst)
	if limit := 2 * time.Second; !(worst <= limit) { // one second, and one for a busy machine
		t.Errorf("the last %v are lost: must be a second", worst)
	}
	if testing.Short() {
		return // without node
	}
	p := webtest.Start(t, "recording.mjs", paths...)
	for _, line := range want {
		p.Prints(line)
	}
	p.End()
}

// A limit on the file size ends the recording as a full disk does. This test needs no full disk.
func TestFileLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	_, out := child(t, path, limitEnv+"=3000000")
	said, err := io.ReadAll(out)
	// once from the callback, once from Close
	if err != nil || strings.Count(string(said), "has ended") != 2 || !strings.Contains(string(said),
		"file too large") {
		t.Errorf("%s, %v", said, err)
	}
	if n, _ := killed(t, path); n < 20 {
		t.Errorf("%d messages are left", n)
	}
}

// Foxglove's readers, the streaming and the indexed one, read a finished recording.
func TestFoxgloveReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mcap")
	w := begin(t, path, Header{Library: "test", Metadata: map[string]string{"seed": "7"},
		Attachments: []Attachment{{"world.toml", "application/toml", []byte("x = 1")}}}, Options{})
	noise := newNoise()
	for i := range 3 {
		c := channel(t, w, fmt.Sprintf("/%d", i), text)
		for j := range 1000 {
			c.Write(time.Duration(j)*time.Millisecond, 0, noise.bytes(j))
		}
	}
	must.Do(t, w.Close())
	p := webtest.Start(t, "recording.mjs", path)
	p.Prints(path + ": 3000 messages, 3 channels, 1 attachments, ended true, indexed 3000")
	p.End()
}

// A full disk ends the recording. Complete chunks remain.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a tmpfs cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(dir, 0)
	var e ended
	path := filepath.Join(dir, "a.mcap")
	w := begin(t, path, Header{}, Options{Ended: e.Add})
	c := channel(t, w, "/a", number)
	noise := newNoise()
	for i := 0; len(e.All()) == 0; i++ {
		c.Write(0, 0, noise.bytes(10_000))
		if i == 10_000 {
			t.Fatal("a disk of 4 MiB takes 100 MB")
		}
	}
	e.check(t, w, c, syscall.ENOSPC.Error())
	if n := chunksBefore(t, path+aside.Suffix); n < 2 {
		t.Errorf("%d whole chunks are in the file", n)
	}
	if _, err := Create(filepath.Join(dir, "b.mcap"), Header{Attachments: []Attachment{{Data: noise.bytes(5_000_000)}}},
		Options{}); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Create on a full disk: %v", err)
	} else if left, _ := filepath.Glob(filepath.Join(dir, "b.mcap*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// chunksBefore counts the complete chunks of a truncated file.
func chunksBefore(t *testing.T, path string) (n int) {
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	l := must.Get(mcap.NewLexer(f, &mcap.LexerOptions{EmitChunks: true}))(t)
	for {
		token, _, err := l.Next(nil)
		if err != nil {
			return n
		}
		if token == mcap.TokenChunk {
			n++
		}
	}
}
