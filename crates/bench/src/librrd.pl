# Updates files in turn, and prints how many seconds that took: by the clock, in this program, in the kernel.
use strict;
use warnings;
use RRDs;
use Time::HiRes qw(time);

my ($updates, $files, $first_turn, $start, $step) = @ARGV;
my ($begin, @used) = (time, times);
for my $nth (0 .. $updates - 1) {
    my $file = $nth % $files;
    my $turn = $first_turn + int($nth / $files);
    my $when = $start + $turn * $step + $file % $step;
    my ($in, $out) = ($turn * 1_234_567 + $file, $turn * 765_432 + $file);
    RRDs::update("$file.rrd", "$when:$in:$out");
    my $error = RRDs::error;
    die $error if $error;
}
my @after = times;
printf "%.6f %.6f %.6f\n", time - $begin, $after[0] - $used[0], $after[1] - $used[1];
