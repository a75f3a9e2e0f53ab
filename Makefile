# Targets that build first install missing system packages. `make SETUP=: TARGET` skips that.
SETUP   ?= ./install.sh
WORLD   ?= nubot-attack
TIMEOUT ?= 15m
BENCH   ?= .
FUZZTIME ?= 20s
CASES   ?= cmd/omnipitch/testdata/cases

# Go's usual place, for shells whose PATH lacks it.
export PATH := $(PATH):/usr/local/go/bin
# In an archive, or in another user's folder, git cannot tell Go the commit.
VCS := $(shell git rev-parse HEAD >/dev/null 2>&1 || echo -buildvcs=false)
# With -trimpath, what Go has compiled in one clone is not compiled again in another one on the same machine. A plain
# go test compiles everything once more, unless `go env -w GOFLAGS=-trimpath` sets the flag for it, too.
export GOFLAGS := $(filter-out -trimpath,$(or $(shell PATH="$(PATH)" go env GOFLAGS 2>/dev/null),$(GOFLAGS))) -trimpath

# Verifications that take longer than make test should. Short forms of most of them are part of make test.
VERIFY := $(shell sed -n 's/^\(verify-[a-z0-9-]*\):.*/\1/p' $(MAKEFILE_LIST))

.PHONY: $(VERIFY) help run build package wheel test tested vetted-and-raced bench bench-card race races fuzz pictures verify \
	calibrate-raw reproduce results vendor-three clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):[^#]*## /  \1\t/p' $(MAKEFILE_LIST)

run: build ## simulate WORLD (default nubot-attack), FOR=10s long, with more ARGS
	bin/omnipitch run $(WORLD) $(if $(FOR),--for $(FOR)) $(ARGS)

build: ## build bin/omnipitch, and bin/refbot, the reference robot
	@$(SETUP)
	go build $(VCS) -o bin/ ./cmd/omnipitch ./cmd/refbot

package: ## make out/package/omnipitch.deb and omnipitch.tar.gz, for users without Go
	@$(SETUP)
	./package.sh

wheel: build ## make out/wheel/omnipitch-….whl, the Python package with the program, for machines without Go
	python3 -m venv out/wheel/venv
	out/wheel/venv/bin/pip wheel -q --disable-pip-version-check --no-deps -w out/wheel ./robotio/python

# Build once, then run vet and the tests in parallel: tests often wait for other programs. go vet makes more checks
# than go test -vet. cmd/omnipitch comes first because its tests take longest. With GOGC=400 the compiler takes a
# sixth less processor time, tests that load worlds a third less, and both more memory.
test: export GOGC = 400
test: ## check formatting, vet, build, and run every test
	@$(SETUP) --test
	@unformatted=$$(gofmt -l .) && test -z "$$unformatted" || { echo "run gofmt -w on: $$unformatted" >&2; exit 1; }
	go build $(VCS) -ldflags="-s -w" ./...
	@$(MAKE) --no-print-directory --jobs=2 --keep-going SETUP=: tested vetted-and-raced

tested:
	go test -vet=off -timeout $(TIMEOUT) ./cmd/omnipitch ./...

vetted-and-raced:
	go vet ./...
	@$(MAKE) --no-print-directory SETUP=: races

# Tests in which goroutines meet: of the simulation, clients of its clock, recordings, referee boxes, radios over UDP, and
# clients of all wires.
# make verify-races adds replays, the dashboard, and suites, which take long to compile. make race runs all other tests.
RACES := ^TestRace|TestClient|ManyWrite|HangingDisk|ImagesWait|SeeksOfMany|TestFollow|TestServer|AnnounceRobots|ManySend
RACES := $(RACES)|LogHasWhatHappens|SceneAndPoses|StateFollowsTruth|CameraForWhoLooks|SlowAndClosedPages|TopicsAreSwitched
RACES := $(RACES)|RunsAreThoseOfTheWorldAlone
RACED := . ./timesync ./robotio/recording ./robotio/refbox ./robotio/multicast ./cmd/internal/serve
races: ## run tests of the simulation that use several goroutines under the race detector
	@$(SETUP) --test
	go test -race -vet=off -timeout $(TIMEOUT) -run '$(RACES)' $(RACED)

race: ## run every test under the race detector
	@$(SETUP) --test
	go test -race -timeout $(TIMEOUT) ./...

bench: ## run the Go benchmarks that match BENCH (default all)
	@$(SETUP)
	go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 0 ./...

# A machine without Go measures the bin/ that it got from elsewhere, after ./install.sh --run.
bench-card: $(if $(shell command -v go),build) ## measure this machine's graphics card beside the tile renderer, and say which goals are met: six minutes
	@mkdir -p out/bench-card
	bin/omnipitch bench card > out/bench-card/goals.txt
	bin/omnipitch bench render --renderer opengl,tile --rounds 60 > out/bench-card/single.txt
	bin/omnipitch bench render --renderer opengl --many 100 --rounds 20 > out/bench-card/many.txt
	bin/omnipitch bench render --renderer opengl --many 100 --rounds 20 --look natural > out/bench-card/many-natural.txt
	bin/omnipitch bench levels --renderer opengl --rounds 3 --robots 10 > out/bench-card/levels.txt
	@cat out/bench-card/goals.txt; echo "The folder out/bench-card has all figures."

# Without the limit, Go would spend a minute of FUZZTIME on minimizing each new input.
fuzz: ## fuzz every fuzz target for FUZZTIME (default 20s)
	@$(SETUP)
	@set -e; for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -r dirname | sort -u); do \
		for target in $$(go test -list '^Fuzz' $$dir | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$dir; done; done

pictures: ## render the pictures of docs/cameras.md
	@$(SETUP)
	go run $(VCS) ./cmd/internal/pictures

verify: ## run every verify target below, one after the other; takes many hours
	@for target in $(VERIFY); do $(MAKE) --no-print-directory $$target || exit; done

verify-keyframes: ## restore key frames of 10 s of every included world, with three sequences of actions and with images; fuzz key frames for 5 minutes
	@$(SETUP)
	go test $(VCS) . -run KeyFrames -count 1 -timeout 2h -args -keyframes.for 10s -keyframes.count 4 -keyframes.seeds 3
	go test $(VCS) . -run KeyFrames -count 1 -timeout 2h -args -keyframes.for 2s -keyframes.count 4 -keyframes.renderer auto
	go test $(VCS) . -run '^$$' -fuzz FuzzRestoreKeyFrame -fuzztime 5m -fuzzminimizetime 20x

verify-races: ## run tests of replays, the dashboard and suites that use several goroutines under the race detector; clients of all wires for ten minutes
	@$(MAKE) --no-print-directory races RACED='./robotio/replay ./cmd/internal/dashboard ./cmd/internal/suite' TIMEOUT=1h
	go test -race -vet=off ./cmd/internal/serve -run OfAllWires -timeout 1h -v -args -wires.for 10m

verify-cases: ## feed the inputs of the folder CASES, which were once handled wrongly, to the program; one folder for each case
	@test -d "$(CASES)" || { echo "CASES = $(CASES): must be a folder of cases, such as make verify-cases CASES=../cases" >&2; exit 1; }
	go test $(VCS) ./cmd/omnipitch -run '^TestCases$$' -count 1 -timeout 1h -v -args -cases $(abspath $(CASES))

verify-pure: ## type-check all packages without C, and test four of them, with cgo switched off
	go test $(VCS) . -run WithoutCgo -count 1 -args -pure
	CGO_ENABLED=0 go test $(VCS) -short -vet=off ./abstraction ./timesync ./physics/internal/planar ./render/internal/raycast

verify-levels: ## compare levels objects and features with images of 200 random scenes; meter the light, and detect obstacles as NuBot's node does, in more worlds; compare sensors at props
	@$(SETUP)
	go test $(VCS) ./sensors/pipeline -run 'VisibilityAgrees|FeaturesAgree|OutlinesAgreeWithPixels$$' -timeout 2h -v -args -scenes 200 -scenes.rays 200
	go test $(VCS) ./sensors/pipeline -run 'AutoExposureMeters|FalseObstacles|InShippedWorlds' -timeout 1h -v -args -long -obstacle.images 60
	go test $(VCS) ./worlds/scenery -run SensorsAgree -timeout 1h -v -args -props 100

verify-suite: ## run ten robots at objects 1,000 times for 30 s, in a suite and one after the other: equal states, 1.3 times the throughput
	@$(SETUP)
	go test $(VCS) ./cmd/internal/suite -run Throughput -timeout 2h -v -args -suite.runs 1000 -suite.for 30s -suite.least 1.3

verify-sweep: ## inject faults into sweeps, by 20 random schedules and 20 with sleeping runs; kill one of three servers; measure the overhead of a run
	@$(SETUP) --test
	nice -n 10 go test $(VCS) ./cmd/omnipitch -run '^TestSweepFaults$$' -count 1 -timeout 2h -v -args -sweep.schedules 20
	go test $(VCS) ./cmd/internal/sweep -run 'WhateverDies|OneOfThree' -bench Job -benchtime 10000x -timeout 1h -v -args -schedules 20 -three

verify-slam: ## let icp-slam of MRPT map world office from scans and odometry: its walls are those of the world within 3 cm
	@$(SETUP) --slam
	go test $(VCS) . -run SLAMMapsTheOffice -count 1 -timeout 1h -v -args -slam

MUJOCO = out/mujoco/venv/lib/python3*/site-packages/mujoco/libmujoco.so.2.3.1
verify-mujoco: ## compare the engine mujoco with MuJoCo's Python package and with its library alone, state by state and in speed
	@$(SETUP) --test
	@test -x out/mujoco/venv/bin/python || { python3 -m venv out/mujoco/venv && out/mujoco/venv/bin/pip install -q mujoco==2.3.1.post1; }
	go test $(VCS) ./physics/internal/mujoco -run AsThePythonPackage -bench Humanoids -benchtime 20x -count 1 -timeout 1h -v -args -mujoco.python $(CURDIR)/out/mujoco/venv/bin/python
	go test $(VCS) ./physics/internal/mujoco -run AsThePythonPackage -count 1 -timeout 1h -v -args -mujoco.python $(CURDIR)/out/mujoco/venv/bin/python -mujoco.library $$(echo $(CURDIR)/$(MUJOCO))

verify-walk: ## walk humanoids ten times 5 m ahead, back and aside, and round in place and on a circle, with noise and pushes; compare the levels walk and joints: twenty minutes
	@$(SETUP) --test
	go test $(VCS) ./physics/experiment -run HumanoidsWalk -count 1 -timeout 1h -v -args -walk.seeds 10
	go test $(VCS) ./physics/experiment -run T1Walks -count 1 -timeout 1h -v -args -t1.seeds 10
	go test $(VCS) ./physics/experiment -run 'WalkMoves|WalkArrives' -count 1 -timeout 1h -v -args -walk.pairs 10 -walk.runs 100
	go test $(VCS) . -run HumanoidsCountSteps -count 1 -timeout 1h -v -args -odometry.seeds 10

verify-motions: ## push humanoids over ten times to each of four sides: at least nine of ten get up and walk on; kick with both feet from ten places of the ball
	@$(SETUP) --test
	go test $(VCS) ./physics/experiment -run HumanoidsGetUp -count 1 -timeout 1h -v -args -fall.seeds 10
	go test $(VCS) . -run HumanoidKicks -count 1 -timeout 1h -v -args -kick.places 10

verify-booster: ## let a brain in Python on CycloneDDS, which knows only Booster's public messages, find the ball with a T1, walk there and kick: one minute
	@$(SETUP) --test
	go test $(VCS) ./robotio -run BoosterBrain -count 1 -v -args -booster.brain

URDFS = pybullet==3.2.7 example-robot-data==6.0.0 icub-models==3.2.0 armar==1.1.0 upkie-description==2.2.0
verify-urdf: ## compare the URDF files of five packages of PyPI with yourdfpy, and load all robots among them: two minutes; out/urdf keeps 1 GB
	@$(SETUP) --test
	@test -d out/urdf || { mkdir -p out/urdf.new && python3 -m pip download -q --no-deps --only-binary :all: \
		--python-version 3.11 --platform manylinux2014_x86_64 -d out/urdf.new $(URDFS) && cd out/urdf.new && \
		for f in *.whl; do mkdir $${f%%-*} && python3 -m zipfile -e $$f $${f%%-*} && rm $$f || exit; done && mv ../urdf.new ../urdf; }
	go test $(VCS) ./worlds/urdf -run ReadsAsYourdfpy -count 1 -timeout 1h -v -args -urdf.in $(CURDIR)/out/urdf
	go test $(VCS) ./worlds -run PublicURDFs -count 1 -timeout 2h -v -args -urdf.in $(CURDIR)/out/urdf

verify-mjcf: ## compare MJCF and URDF files of tests, and the MJCF files of Gymnasium, with what MuJoCo's package of PyPI reads
	@$(SETUP) --test
	@test -d out/mjcf || { mkdir -p out/mjcf.new && python3 -m pip download -q --no-deps -d out/mjcf.new gymnasium==1.4.0 && \
		cd out/mjcf.new && python3 -m zipfile -e *.whl . && rm *.whl && mv ../mjcf.new ../mjcf; }
	go test $(VCS) ./worlds/mjcf -run MuJoCo -count 1 -timeout 1h -v -args -mjcf.in $(CURDIR)/out/mjcf

verify-cluster: ## kill, stop, disconnect and slow down render workers by 20 random schedules: all images keep their bytes; look for races
	@$(SETUP)
	go test $(VCS) -race ./cmd/internal/farm -run "Workers|Refused" -timeout 1h
	go test $(VCS) ./sensors/pipeline -run FarmShows -timeout 1h -v -args -long
	go test $(VCS) ./cmd/internal/farm -run WhateverWorkers -timeout 1h -v -args -farm.schedules 20

verify-worlds: build ## test every included world that has expectations and needs no program, with the seeds 1 to 20
	bin/omnipitch test $$(grep -L '^\[\[program\]\]' $$(grep -l '^\[\[expect\]\]' worlds/*.toml)) --seeds 1..20

verify-dialects: ## send random messages of every type of two dialects through rospy and roscpp
	@$(SETUP) --test
	go test $(VCS) ./robotio/ros1 -run EveryType -count 1 -timeout 1h -v -args -ros1.roscpp 2

verify-ros2-starts: ## start CycloneDDS and Fast DDS 100 times each on a busy machine: they and we find each other, under every setting of discovery within 1 s
	@$(SETUP) --test
	go test $(VCS) ./robotio/ros2/internal/rtps -run 'StartsOnBusy|DiscoverySettings' -count 1 -timeout 1h -v -args -rtps.starts 100 -rtps.within 1s

verify-ros2-hostile: ## fuzz every decoder of ROS 2's wire for three minutes
	@$(SETUP)
	go test $(VCS) ./robotio/ros2/internal/rtps -run '^$$' -fuzz FuzzDatagrams -fuzztime 3m -fuzzminimizetime 20x
	go test $(VCS) ./robotio/ros2 -run '^$$' -fuzz FuzzGraph -fuzztime 3m -fuzzminimizetime 20x
	go test $(VCS) ./robotio/ros2 -run '^$$' -fuzz FuzzCallID -fuzztime 3m -fuzzminimizetime 20x
	go test $(VCS) ./robotio/msg -run '^$$' -fuzz FuzzCDR -fuzztime 3m -fuzzminimizetime 20x

verify-ros2-images: ## send images of 20 topics at 30 Hz to CycloneDDS and Fast DDS for ten minutes each, and for 5 s also from these
	@$(SETUP) --test
	go test $(VCS) ./robotio/ros2/internal/rtps -run '^$$' -bench Images -benchtime 1x -timeout 1h
	go test $(VCS) ./robotio/ros2/internal/rtps -run '^$$' -bench 'Images/ours.*/20_topics/30_Hz/reliable_false' -benchtime 1x -timeout 1h -args -rtps.seconds 600

verify-lockstep: ## start three rospy robots 200 times on a busy machine, and compare ten pairs of runs with order = "all"
	@$(SETUP) --test
	go test $(VCS) ./cmd/omnipitch -run 'LockstepBegins|LockstepOrders' -timeout 1h -v -args -lockstep.starts 200 -lockstep.pairs 10

verify-long: ## run the tests of cmd/omnipitch that make test omits or shortens: commands of the docs, tutorials, own teams, a detector, colour tables and localisation of NuBot, OpenCV's calibration, an attack and images with ROS's master, rospy's timers
	@$(SETUP) --test
	go test $(VCS) ./cmd/omnipitch -run 'DocsShow|PagesForNewcomers|OwnTeam|TestDetector$$|NuBotsFilesLocalise|ByOurFiles|OpenCVCalibrates|Attack|TestImages$$|RospyTimers' -timeout 1h -v -args -long

verify-own-team: ## play the small teams of docs/own-team.md, in Go, Python and C++, with the seeds 1 to 20 on a busy machine
	@$(SETUP) --test
	go test $(VCS) ./cmd/omnipitch -run 'OwnTeam' -timeout 1h -v -args -ownteam.seeds 1..20

verify-detector: ## make the data sets of docs/detector.md, train its detectors, and test them in other worlds; out/detector keeps the results
	@$(SETUP) --test
	mkdir -p out/detector
	nice -n 10 go test $(VCS) ./cmd/omnipitch -run '^TestDetector$$' -count 1 -timeout 6h -v -args -detector.whole

TORCH = torch==2.15.0
verify-photographs: build ## train the convolutional detector of docs/detector.md on rendered images in five looks, judge it on photographs, and fine-tune it with some of them: an hour of two cores; out/photographs keeps the results
	@$(SETUP) --test
	@mkdir -p out/photographs
	@test "$(PYTHON)" || test -x out/photographs/venv/bin/python || { \
		python3 -m venv --system-site-packages out/photographs/venv && out/photographs/venv/bin/pip install -q $(TORCH); }
	nice -n 10 docs/detector/photographs.sh out/photographs $(or $(PYTHON),out/photographs/venv/bin/python)

verify-dashboard: ## attack the dashboard for 20 s, and measure the cost, the start-up time and the frame rate of a page
	@$(SETUP) --test
	go test $(VCS) ./cmd/internal/dashboard -run HostileClients -v -args -dashboard.abuse 20s
	go test $(VCS) ./cmd/internal/dashboard -run '^$$' -bench 'PageCost|PageIsUsable|CameraOnPage' -benchtime 5x

verify-programs: ## kill the runner of eight kinds of programs 20 times on a busy machine, and run suites with two rospy programs ten times
	@$(SETUP) --test
	go test $(VCS) ./cmd/internal/program -run KilledRunner -timeout 1h -args -programs.rounds 20 -programs.load
	go test $(VCS) ./cmd/omnipitch -run SuiteWithPrograms -timeout 1h -v -args -programs.suites 10

verify-simatch: ## play five rospy robots in world simatch for 60 s, in lockstep and in real time
	@$(SETUP) --test
	go test $(VCS) ./cmd/omnipitch -run TeamPlays -v -args -team.for 60s
	go test $(VCS) ./cmd/omnipitch -run TeamPlays -v -args -team.for 60s -team.free

verify-localise: ## localise a robot with raw images and the files of calibration --format nubot, in 20 poses with each of three mirrors
	@$(SETUP)
	go test $(VCS) ./cmd/omnipitch -run NuBotsFilesLocalise -timeout 1h -v -args -long -localise.poses 20

verify-ball: ## find the ball up to 7 m away, as NuBot's omni_vision does with the files of calibration --format nubot, in 1,000 images at raw and at ideal of two worlds and of another mirror
	@$(SETUP)
	go test $(VCS) ./cmd/omnipitch -run OmniVisionFindsTheBallByOurFiles -timeout 2h -v -args -long -ball.frames 1000

verify-vision: ## test refbot's vision with raw images: locate in 500 random poses, track for 40 s at 1, 2 and 3 m/s, find ball and obstacles in 100 scenes of each hall and by the head of a walking humanoid, place ten humanoids at touch lines, predict 44 lobs, and score
	@$(SETUP)
	go test $(VCS) ./cmd/refbot/vision/locate -run 'Located|Tracked|Exposure' -timeout 1h -v -args -vision.poses 500 -vision.track 40s
	go test $(VCS) ./cmd/refbot/vision/locate -run 'Located|Tracked|Exposure' -timeout 1h -v -args -vision.poses 500 -vision.track 40s -vision.look natural
	go test $(VCS) ./cmd/refbot/vision -run Found -timeout 1h -v -args -vision.scenes 100 -vision.tables files -vision.halls plain,natural,worn,busy,yellow,dim,warm
	go test $(VCS) ./cmd/refbot/vision -run HeadOf -timeout 1h -v -args -vision.walk 27s
	go test $(VCS) ./cmd/refbot -run HumanoidsReturn -timeout 1h -v -args -refbot.returns 10
	go test $(VCS) ./cmd/refbot/vision -run Touchdown -timeout 1h -v -args -vision.lobs 44 -vision.halls natural,glide,v1
	$(MAKE) calibrate-raw
	PATH=$(CURDIR)/bin:$$PATH bin/omnipitch test $(RAW)/lobs-raw.toml --programs --seeds 1..3
	bin/omnipitch test $(RAW)/shot-raw.toml --programs --seeds 1..12

RAW = cmd/refbot/worlds/raw
calibrate-raw: build ## write the calibration that refbot needs for raw images in the worlds of cmd/refbot/worlds/raw
	bin/omnipitch calibration $(RAW)/match-raw.toml --format refbot --out $(RAW)/calibration
	bin/omnipitch calibration $(RAW)/hsl-raw.toml --format refbot --out $(RAW)/calibration-hsl

verify-raw-match: calibrate-raw ## play two against two with raw images, and with raw images and level objects, with the seeds 1 to 5, and two minutes of humanoids, also over ROS: half an hour
	bin/omnipitch test $(RAW)/match-raw.toml $(RAW)/mixed-raw.toml --programs --seeds 1..5
	bin/omnipitch run $(RAW)/hsl-raw.toml --programs --for 20s
	go test $(VCS) ./cmd/refbot -run HumanoidsByImages -timeout 2h -v -args -refbot.for 240s

verify-passes: calibrate-raw ## play a contested pass 200 times with raw images and 200 times with level objects, and print how many arrive: twenty minutes
	-bin/omnipitch test $(RAW)/pass-raw.toml --programs --seeds 1..200 | grep passed
	-bin/omnipitch test $(RAW)/pass-objects.toml --programs --seeds 1..200 | grep passed

verify-look: ## compare the natural look with path tracing in twenty random scenes: half an hour
	@$(SETUP)
	go test $(VCS) ./render/backend -run NaturalLook -timeout 2h -v -args -look.scenes 20 -look.width 160 -look.samples 1024 -look.front 0.05 -look.omni 0.08 -look.chromaticity 0.01

verify-agreement: ## fit level objects to refbot's vision and to a bad one, and compare both in other halls and lights: half an hour; out/agreement keeps fits and samples
	@$(SETUP)
	mkdir -p out/agreement
	go test $(VCS) ./cmd/internal/assess -run LevelsAgree -timeout 3h -v -args -agree.for 2700s -agree.least 1000 -agree.out $(CURDIR)/out/agreement

verify-renderers: ## compare all renderers with each other in every camera of every included world, at raw and ideal; measure their memory
	@$(SETUP)
	go test $(VCS) ./render/backend -run RenderersAgreeInShippedWorlds -timeout 2h -v -args -renderers.worlds all
	go test $(VCS) ./worlds/scenery -run CostIsWhatAProcessTakes -v -args -cost.all
	go test $(VCS) ./render/backend -run 'MarkersAreSeen|EveryPixelShows' -v -args -markers 400 -markers.views 60

verify-python: ## attack the Python package at 100 random moments of each kind, with the simulator or the trainer killed, or a call interrupted
	@$(SETUP) --test
	MOMENTS=100 go test $(VCS) ./robotio/python -count 1 -timeout 30m -run TestPackage

# rSoccer has packages for Python 3.8 to 3.10.
verify-python-peers: build ## measure the Python package beside rSoccer, with PEER_PYTHON=python3.10; out/rsoccer keeps rSoccer
	@test -d out/rsoccer || { $(or $(PEER_PYTHON),python3.10) -m venv out/rsoccer && out/rsoccer/bin/pip install -q \
		rsoccer-gym==1.4 rc-robosim==1.2 gym==0.26.2 numpy==2.2.6 protobuf==7.36.2 pyglet==2.1.19; }
	bin/omnipitch bench python --python out/rsoccer/bin/python --peer out/rsoccer/bin/python

verify-recording: ## kill a recording process at 50 random moments: all but the last second is readable; fuzz the readers for ten minutes each
	@$(SETUP) --test
	go test $(VCS) ./robotio/recording -run Killed -timeout 1h -v -args -recording.kills 50
	go test $(VCS) ./robotio/recording -run '^$$' -fuzz FuzzReader -fuzztime 10m -fuzzminimizetime 20x
	go test $(VCS) ./physics/track -run '^$$' -fuzz FuzzDecode -fuzztime 10m -fuzzminimizetime 20x
	go test $(VCS) ./robotio/replay -run '^$$' -fuzz FuzzReplay -fuzztime 10m -fuzzminimizetime 20x
	go test $(VCS) ./robotio/replay -run TopicsAre -v -args -replay.worlds 'nubot-attack ladder faults sensors simatch-small'
	go test $(VCS) ./robotio/replay -run SeekWhileServing -v -args -replay.match 10m -replay.seeks 200

verify-reality: ## compare simulated sensors with measurements of real ones, as docs/reality.md lists them: five minutes
	@$(SETUP)
	go test $(VCS) ./worlds -run 'KinectHas|LaserMisses|ResidualsOfReality' -count 1 -v -args -reality.long
	go test $(VCS) ./sensors -run 'LaserProfiles|Allan|UMBmark' -count 1 -v
	go test $(VCS) ./render/calibration -run FitReal -count 1 -v
	go test $(VCS) ./cmd/internal/assess -run 'MeasureAgrees|AreLikePhotographs' -count 1 -timeout 1h -v -args -photographs.frames 40

verify-bundles: ## run each included world and its bundle for 2 s: equal states
	@$(SETUP)
	go test $(VCS) ./worlds -run BundledWorldsGoAlike -timeout 1h -v -args -bundles.for 2s

# PyPI's PyTorch takes 5 GB. PYTHON names an interpreter that has it, stable-baselines3 and numpy already.
verify-learning: build ## let agents act for 10,000 decisions in 1 and in 64 worlds: equal bytes; learn task-find-ball and, with and without errors, task-shoot
	@$(SETUP) --test
	OMNIPITCH_TASK_STEPS=10000 OMNIPITCH_TASK_WORLDS=64 go test $(VCS) ./robotio/python -run TestPackage -count 1 -timeout 1h -v
	@test "$(PYTHON)" || test -x out/learning/bin/python || { python3 -m venv out/learning && \
		out/learning/bin/pip install -q stable-baselines3==2.9.2; }
	export PYTHONPATH=robotio/python OMNIPITCH=bin/omnipitch; python=$(or $(PYTHON),out/learning/bin/python); \
		$$python -m omnipitch.train task-find-ball --minutes 10 --out out/find-ball.zip && $$python docs/learning/shoot.py

verify-refbot: ## play ten matches of ten minutes on each field, and each skill's world with the seeds 1 to 20; repeat matches and compare
	@$(SETUP)
	go test $(VCS) ./cmd/refbot -timeout 2h -v -args -refbot.for 600s -refbot.seeds 10 -refbot.worlds 20

verify-strategy: ## play refbot's strategy radio against cards, twenty matches of ten minutes at each of four loss rates: hours
	@$(SETUP)
	go test $(VCS) ./cmd/refbot -run 'Strateg' -timeout 6h -v -args -strategy.matches 20 -strategy.for 600s

verify-match: ## derive the referee's decisions of ten matches of ten minutes by each rule book again from their states, of three with the other engine, and of three of humanoids
	@$(SETUP)
	go test $(VCS) ./worlds/referee -run OracleAgreesInMatches -count 1 -timeout 2h -v -args -oracle.matches 10 -oracle.for 10m
	go test $(VCS) ./worlds/referee -run OracleAgreesInMatches -count 1 -timeout 2h -v -args -oracle.matches 3 -oracle.for 5m -oracle.engine ode -oracle.worlds scripted-match
	go test $(VCS) ./worlds/referee -run OracleAgreesInMatches -count 1 -timeout 2h -v -args -oracle.matches 3 -oracle.for 10m -oracle.worlds hsl-4v4,hsl-refbot
	go test $(VCS) ./worlds/referee -run OracleAgreesInMatches -count 1 -timeout 2h -v -args -oracle.matches 100 -oracle.for 2m -oracle.worlds ../../testdata/referee/humanoid/rough.toml

reproduce: build ## repeat the experiments of papers, into out/reproduce: half an hour; QUICK=1 takes some minutes, with fewer repetitions
	bin/omnipitch reproduce $(if $(QUICK),--quick) $(IDLE) --out out/reproduce --overwrite

results: IDLE = --idle
results: reproduce ## the same on an idle machine, and update docs/results.md and its plots
	rm -f docs/plots/reproduce-*.png
	cp out/reproduce/*.png docs/plots/
	sed 's|<img src="|<img src="plots/|' out/reproduce/results.md > docs/results.md

vendor-three: ## fetch three.js for the dashboard from npm; cmd/internal/dashboard/assets/three/README.md lists the checksums
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; to=$(CURDIR)/cmd/internal/dashboard/assets/three; \
		npm pack --silent --pack-destination "$$dir" three@0.185.0 >/dev/null; tar -C "$$dir" -xzf "$$dir/three-0.185.0.tgz"; cd "$$dir/package"; \
		cp build/three.module.min.js build/three.core.min.js examples/jsm/controls/OrbitControls.js LICENSE "$$to"; \
		cd "$$to"; chmod 644 ./*; sed -n 's/^    //p' README.md | sha256sum --check

clean: ## remove what the targets above built
	rm -rf bin out
