package ros1

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// roscppPeer compiles testdata/peer.cpp, once for all tests, and returns the path of the program.
func roscppPeer(t testing.TB) string {
	t.Helper()
	needROS(t)
	compilePeer.Do(func() {
		if exec.Command("pkg-config", "--exists", "roscpp").Run() != nil {
			return
		}
		if peerDir, errPeer = os.MkdirTemp("", "omnipitch-peer"); errPeer == nil {
			errPeer = compile("testdata/peer.cpp", filepath.Join(peerDir, "peer"))
		}
	})
	if errPeer != nil {
		t.Fatal(errPeer)
	}
	if peerDir == "" {
		t.Skip("no roscpp: apt-get install libroscpp-dev g++")
	}
	return filepath.Join(peerDir, "peer")
}

var (
	compilePeer sync.Once
	peerDir     string
	errPeer     error
)

// TestMain runs more tests at a time than there are processors, unless -parallel is set, because they wait for
// programs.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(3 * runtime.GOMAXPROCS(0)))
	}
	code := m.Run()
	if peerDir != "" {
		os.RemoveAll(peerDir)
	}
	os.Exit(code)
}

// compile compiles a roscpp program without optimisation, to save time.
func compile(source, program string, flags ...string) error {
	ros, err := exec.Command("pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		return err
	}
	args := append([]string{"-w", "-O0", "-pipe", "-o", program, source}, flags...)
	out, err := exec.Command("g++", append(args, strings.Fields(string(ros))...)...).CombinedOutput()
	if err != nil {
		return &compileError{source, string(out), err}
	}
	return nil
}

type compileError struct {
	source, output string
	err            error
}

func (e *compileError) Error() string { return e.source + ": " + e.err.Error() + "\n" + e.output }
