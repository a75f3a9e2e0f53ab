"""Measures rospy's Rate, Timer and sleep in sim time: prints of each the mean error, the least, which is negative where one fired too
early, both in seconds of sim time, and how many there were.

    timers.py SECONDS
"""
import sys
import threading

import rospy

rospy.init_node('timers')
while rospy.get_rostime().is_zero() and not rospy.is_shutdown():
    pass
end = rospy.get_rostime() + rospy.Duration(float(sys.argv[1]))
errors = {'rate': [], 'timer': [], 'sleep': []}


def timer(event):
    errors['timer'].append((event.current_real - event.current_expected).to_sec())


def sleep():
    while rospy.get_rostime() < end:
        begun = rospy.get_rostime()
        rospy.sleep(0.1)
        errors['sleep'].append((rospy.get_rostime() - begun).to_sec() - 0.1)


rospy.Timer(rospy.Duration(0.05), timer)
sleeper = threading.Thread(target=sleep)
sleeper.start()
rate = rospy.Rate(30)
rate.sleep()
begun, n = rate.last_time, 0  # when the first was due, however late this thread woke up
while rospy.get_rostime() < end:
    rate.sleep()
    n += 1
    errors['rate'].append((rospy.get_rostime() - begun).to_sec() - n / 30.0)
sleeper.join()
for what, e in errors.items():
    print('error %s %.6f %.6f %d' % (what, sum(map(abs, e)) / len(e), min(e), len(e)), flush=True)
rospy.signal_shutdown('done')
